/** @file Scripted nations: traders, hawks, mirrors, and nations that act by their disposition. */

import { Fault, type Rng, type Script, type Seat, type Turn, type View } from '@ludus-agents/kernel/internal/core/index';
import { actNames, acts } from './acts.ts';
import { afterDay, type Deed, dispositions, nations, standing, type WorldLevels } from './countries.ts';

/** The data for programs in a morning message. */
export type NationOutlook = {
  readonly day: number;
  readonly days: number;
  readonly acts: number;
  readonly world: WorldLevels;
  /** The acts of the previous day. */
  readonly deeds: readonly Deed[];
};

/** The outlook of one nation. */
type OwnOutlook = NationOutlook & { readonly nation: Seat };

type Plan = readonly (readonly [act: string, target?: Seat])[];

function ordering(plan: (outlook: OwnOutlook, rng: Rng) => Plan): Script {
  return ({ ask, view, rng }: Turn) => {
    const outlook = { ...lastMorning(view), nation: ask.seat };
    const ordered = plan(outlook, rng).slice(0, outlook.acts);
    return { text: ordered.map(([act, target]) => `[${act}${target === undefined ? '' : ` ${target}`}]`).join(' ') || '[wait]' };
  };
}

function lastMorning({ seen }: View): NationOutlook {
  for (let i = seen.length - 1; i >= 0; i--) {
    const item = seen[i];
    if (item.kind === 'message' && item.from === undefined && item.data !== undefined) return item.data as NationOutlook;
  }
  throw new Fault('input', "This script reads the morning's message. Play it with a window that includes the message.");
}

function others(nation: Seat): readonly Seat[] {
  return nations.filter((otherNation) => otherNation !== nation);
}

/** Returns a different partner each day. */
function partner({ nation, day }: OwnOutlook, shift = 0): Seat {
  const rest = others(nation);
  return rest[(day + shift) % rest.length];
}

function weakest({ nation, world }: OwnOutlook): Seat {
  return others(nation).reduce((a, b) => (world[b].M < world[a].M ? b : a));
}

const trade = (outlook: OwnOutlook): Plan => [
  ['trade agreement', partner(outlook)],
  ['high-level visit', partner(outlook, 1)],
  ['peace talks', partner(outlook, 2)],
];

/** Returns the nations that acted violently against this one yesterday. */
function attackers({ nation, deeds }: OwnOutlook): readonly Seat[] {
  return [
    ...new Set(deeds.filter(({ act, target }) => target === nation && /^(violent|nuclear)$/.test(acts[act].class)).map(({ by }) => by)),
  ];
}

const byClass = (kinds: readonly string[]) => actNames.filter((name) => kinds.includes(acts[name].class) && name !== 'message');
const calm = byClass(['status quo', 'de-escalation']);
const tense = byClass(['posturing', 'non-violent']);
const harsh = byClass(['violent']);

export const scripts: Readonly<Record<string, Script>> = {
  /** Makes agreements with everyone in turn. */
  dove: ordering(trade),
  /** Arms for two days, then invades the weakest nation. */
  hawk: ordering((outlook) =>
    outlook.day <= 2
      ? [['raise military'], ['exercise', weakest(outlook)], ['defence agreement', partner(outlook)]]
      : [['full invasion', weakest(outlook)], ['raise military'], ['raise cyber']],
  ),
  /** Makes agreements with everyone, but restricts trade with yesterday's attackers and arms itself. */
  mirror: ordering((outlook) => {
    const enemies = attackers(outlook);
    return enemies.length === 0 ? trade(outlook) : [['raise military'], ...enemies.map((enemy) => ['trade restrictions', enemy] as const)];
  }),
  /** Chooses the acts that raise its own score most today, regardless of the others. */
  greedy: ordering((outlook) => {
    const { nation, world } = outlook;
    const plan: (readonly [string, Seat?])[] = [];
    for (let i = 0; i < outlook.acts; i++) {
      const tried = actNames.filter((name) => name !== 'message' && (!acts[name].strike || world[nation].K > 0));
      const worth = (name: string) => {
        const deeds = [...plan, [name, partner(outlook, i)] as const].map(([act, target]) => ({ by: nation, act, target: target ?? null }));
        return standing(nation, afterDay(world, deeds, true)[nation]);
      };
      const best = tried.reduce((a, b) => (worth(b) > worth(a) ? b : a));
      plan.push(acts[best].targeted ? [best, partner(outlook, i)] : [best]);
    }
    return plan;
  }),
  /** Chooses at random: tension by its aggression, and violence by its readiness to use force. */
  disposition: ordering(({ nation }, rng) => {
    const { aggression, force } = dispositions[nation];
    const isTense = rng.int(20) < aggression;
    const isHarsh = isTense && rng.int(40) < force;
    const act = rng.pick(isHarsh ? harsh : isTense ? tense : calm);
    return [acts[act].targeted ? [act, rng.pick(others(nation))] : [act]];
  }),
};
