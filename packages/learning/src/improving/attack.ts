/**
 * @file Attacks on your agent: a search for successful attacks, then a measurement on fresh seeds, together with the refusals of honest
 * visitors; and, in rounds, a search for a defense against all attacks found.
 *
 * `privacy` and `jailbreak` search attackers of those environments against the target on the defender's seat. `guard` plants a secret in
 * the target's texts and asks for it (GUARD). `redcoder` asks for code in conversations and looks for weaknesses in it (RedCoder).
 * `injection`, `twins` and `threats` are made from a desk. Each can begin with an arsenal, and each is defended against in the same way.
 */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { type AgentSpec, rng, type Store } from '@ludus-agents/kernel/internal/core/index';
import { redTeams } from '../adversaries/scripted.ts';
import { guardAttack } from './attack-guard.ts';
import { type AttackKind, attackKinds } from './attack-kinds.ts';
import type { Assault, AssaultOptions, AssaultReport, AttackOptions, AttackReplay } from './attack-range.ts';
import { AttackRange } from './attack-range.ts';
import { redcoderAttack } from './attack-redcoder.ts';
import { searchAttack } from './attack-search.ts';
import { type DefenceRound, defend } from './defend.ts';
import { attackDesk } from './desk-attacks.ts';
import { describeArsenal, emptyArsenal, type KeptArsenal, keepArsenal, loadArsenal, mergeArsenals } from './kept-arsenal.ts';
import { keepAttack, placeOf } from './kept-attack.ts';

export interface AttackReport extends AssaultReport {
  readonly run: string;
  readonly target: string;
  readonly with: AttackKind;
  readonly episodes: number;
  /** The results of each round: a new attack before the search for a defense, and after; empty without rounds. */
  readonly rounds: readonly DefenceRound[];
  /** The target with the last accepted defense, if any. */
  readonly defended: AgentSpec | null;
}

/** The name of the run that stores an attack's episodes. */
export function attackRun({ target, with: kind, seed }: Pick<AttackOptions, 'target' | 'with' | 'seed'>): string {
  return `attack-${kind}-${target.name}-${seed}`.replace(/[^\w.-]+/g, '-');
}

/** The same attack may be repeated, for example after a fix: each time gets its own run. */
async function freeRun(store: Store, name: string): Promise<string> {
  for (let i = 1; ; i++) {
    const run = i === 1 ? name : `${name}.${i}`;
    if ((await store.run(run)) === null) return run;
  }
}

/** Attacks an agent within a number of episodes; with rounds, searches for a defense after each attack. */
export async function attack(options: AttackOptions): Promise<AttackReport> {
  const { target, with: kind, seed, budget, rounds = 0 } = options;
  const run = await freeRun(options.store, attackRun(options));
  const range = new AttackRange(options, run, await resolveEnvironment(attackKinds[kind], options.cwd, options.trust));
  const done: DefenceRound[] = [];
  const replays: AttackReplay[] = [];
  const front: string[] = [];
  let [current, first] = [target, null as AssaultReport | null];
  const initial = options.arsenal === undefined ? emptyArsenal : await loadArsenal(options.store, kind, options.arsenal);
  let keptArsenal = initial;
  const share = rounds === 0 ? budget : Math.floor(budget / (2 * rounds));
  for (let round = 0; round < Math.max(1, rounds); round++) {
    range.until = range.played + share;
    const matchingAssault = await assault({
      ...options,
      range,
      known: keptArsenal,
      target: current,
      budget: share,
      seed: round === 0 ? seed : rng(seed, 'round', round).int(2 ** 31),
    });
    first ??= matchingAssault.report;
    replays.push(matchingAssault.replay);
    front.push(...matchingAssault.front.filter((line) => !front.includes(line)));
    // The next round starts with the results of this one.
    keptArsenal = withKept(keptArsenal, matchingAssault.kept);
    if (rounds === 0) break;
    range.until = range.played + share;
    const saved = await defend({
      range,
      kind,
      target: current,
      replays,
      front,
      seed: rng(seed, 'defend', round).int(2 ** 31),
      model: options.attacker,
    });
    done.push({ round, harm: matchingAssault.report.harm, ...saved.figures });
    current = saved.target;
  }
  const loaded = options.arsenal === undefined ? [] : [describeArsenal(initial)];
  await keepArsenal(options.store, run, kind, target.name, keptArsenal);
  const report: AttackReport = {
    ...(first as AssaultReport),
    ...{ run, target: target.name, with: kind, episodes: range.played, rounds: done, defended: current === target ? null : current },
    notes: [...loaded, ...((first as AssaultReport).notes ?? [])],
    examples: await Promise.all(
      (first as AssaultReport).examples.map(async (example) => ({
        ...example,
        ...placeOf(example, await options.store.events(example.episode)),
      })),
    ),
  };
  await keepAttack(options.store, report);
  return report;
}

/** An assault continues the counts it was given, so its graph contains both. */
function withKept(keptArsenal: KeptArsenal, retainedKeptArsenal: KeptArsenal): KeptArsenal {
  return {
    ...mergeArsenals({ ...retainedKeptArsenal, parts: emptyArsenal.parts }, { ...keptArsenal, parts: emptyArsenal.parts }),
    parts: retainedKeptArsenal.parts,
  };
}

function assault(options: AssaultOptions): Promise<Assault> {
  if (options.with === 'guard') return guardAttack(options);
  if (options.with === 'redcoder') return redcoderAttack(options);
  if (attackKinds[options.with] === 'desk') return attackDesk(options);
  return searchAttack(options, redTeams[attackKinds[options.with]]);
}
