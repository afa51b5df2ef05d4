/**
 * @file A kitchen with a partner that only brings onions or only plates soups, and changes its role at some point. A cook believes in
 * one of the two roles, does the other one, and predicts what the partner will hold. A script replaces the model.
 *
 * Options: arm ("on": the belief is corrected after a wrong prediction; "off": never; "timed": every fourth turn), games, seed. Prints
 * soups in 240 ticks, corrections, and the share of correct predictions.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { pipelines } from '@ludus-agents/agents/internal/team/pipelines';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { isObject, type Json, type JsonObject, rng, type Script, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne, scriptOf } from './_play.ts';
import { textsIn } from './_readers.ts';

const [ticks, soupPays] = [240, 20];
const task = { kitchen: 'ring', moves: 'orders', horizon: ticks };
type Role = 'onions' | 'plates';
const other = (role: Role): Role => (role === 'onions' ? 'plates' : 'onions');

/** What a cook was seen to hold, the latest last. */
function itemsOf(turn: Turn, place: number): readonly string[] {
  const pattern = new RegExp(`Cook ${place} faces \\w+ and holds (?:an? )?(\\w+)`);
  return textsIn(turn).flatMap((text) => pattern.exec(text)?.[1] ?? []);
}

/** The role that what the partner held last tells; null where it held nothing yet. */
function seenRole(turn: Turn): Role | null {
  const last = itemsOf(turn, 2).findLast((item) => item !== 'nothing');
  return last === undefined ? null : last === 'onion' ? 'onions' : 'plates';
}

/** What the partner will be seen to hold: what it holds already, where that goes with its role. */
function expectedItem(turn: Turn, role: Role): string {
  const now = itemsOf(turn, 2).at(-1) ?? 'nothing';
  if (now === 'nothing') return now;
  if (role === 'onions') return 'an onion';
  return now === 'soup' ? 'a soup' : 'a dish';
}

/** Believes what it has just seen, predicts by its belief alone, and acts by it. */
const cookBy = (roles: Readonly<Record<Role, Script>>) =>
  scripted(
    'cook',
    Object.assign(
      (turn: Turn) => {
        const texts = textsIn(turn);
        const ask = texts.at(-1) ?? '';
        if (ask.includes('"Intention: …"')) return { text: `Intention: ${seenRole(turn) ?? turn.rng.pick(['onions', 'plates'])}` };
        const statements = [...texts, ...turn.view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []))];
        const belief = statements.flatMap((text) => /^Intention: (onions|plates)/m.exec(text)?.[1] ?? []).at(-1) as Role;
        if (ask.includes('"Expect: …"')) return { text: `Expect: Cook 2 holds ${expectedItem(turn, belief)}.` };
        const action = roles[other(belief)](turn);
        return { text: `Answer: ${'action' in action ? action.action.text : action.text}` };
      },
      { speaks: true as const },
    ),
  );

/** The script of a role, which first gets rid of what the other role would hold. */
const inRole =
  (role: Role, script: Script, place: number): Script =>
  (turn) => {
    const item = itemsOf(turn, place).at(-1);
    if (role === 'onions' && item === 'soup') return { text: '[serve]' };
    if (item === (role === 'onions' ? 'dish' : 'onion')) return { text: '[drop]' };
    return script(turn);
  };

/** Changes its role at a tick, and does anything at all in one of ten turns. */
const partnerBy =
  (roles: Readonly<Record<Role, Script>>, first: Role, change: number): Script =>
  (turn) => {
    if (turn.rng.next() < 0.1) return { text: turn.rng.pick(turn.ask.choices ?? []) };
    const tick = turn.view.seen.flatMap((item) => (item.kind === 'message' && isObject(item.data) ? (item.data['tick'] ?? []) : [])).at(-1);
    return roles[Number(tick) < change ? first : other(first)](turn);
  };

const settingsOf: Readonly<Record<string, JsonObject>> = {
  on: { pipeline: 'proagent' },
  off: { pipeline: 'proagent', off: ['correct'] },
  timed: {
    modules: (pipelines['proagent'].modules as readonly JsonObject[]).map(({ after, ...module }) =>
      after === undefined ? module : { ...module, every: 4 },
    ),
  },
};

export default async function run({ arm = 'on', games = 10, seed = 1 }: ProgramOptions): Promise<Json> {
  const kitchen = await builtInEnvironment('kitchen');
  const discussion = await builtInEnvironment('discussion');
  const rolesOf = (place: number) => ({
    onions: inRole('onions', scriptOf(kitchen, 'onions'), place),
    plates: inRole('plates', scriptOf(kitchen, 'plates'), place),
  });
  const spec = { name: 'cook', kind: 'team', settings: { members: ['cook'], ...settingsOf[String(arm)] } };
  let [soups, corrected, right, turns] = [0, 0, 0, 0];
  for (let game = 0; game < Number(games); game++) {
    const team = teamAgent({ name: 'cook', settings: readTeam(spec), members: { cook: cookBy(rolesOf(1)) }, discussion });
    const dice = rng(Number(seed), 'partner', game);
    const partner = scripted('partner', partnerBy(rolesOf(2), dice.pick(['onions', 'plates']), 60 + dice.int(120)));
    const { events, returns } = await playOne(kitchen, { 'cook 1': team, 'cook 2': partner }, task, Number(seed) * 1000 + game);
    soups += (returns['cook 1'] ?? 0) / soupPays / Number(games);
    const last = events.findLast((event) => event.kind === 'action' && event.seat === 'cook 1');
    const acted = (last?.kind === 'action' ? readTeamMind(last.mind)?.acted : undefined) ?? {};
    corrected += arm === 'timed' ? 0 : (acted['ran correct'] ?? 0);
    right += (acted['predicted'] ?? 0) - (acted['missed'] ?? 0);
    turns += acted['predicted'] ?? 0;
  }
  return { soups, corrected, cameTrue: turns === 0 ? 0 : right / turns };
}
