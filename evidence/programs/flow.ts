/**
 * @file A planner, an executor, a verifier, and a generator answer two-hop questions: who owns an object, and what does that person
 * like? A search finds the wrong owner in three of ten tries, which a check reveals. The executor follows the planner, and does nothing
 * in one of ten turns. The planner is a table over four goals.
 *
 * Options: arm ("flow": Flow-GRPO trains the planner in the team; "logs": it imitates the goals of questions that a random planner
 * answered correctly, in the same number of games), games, seed. Prints the share of fresh questions that are answered correctly, the
 * same before training, and the games in the flow.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { numberAt, type ProgramOptions, runCommand } from '../arms.ts';

const goals = ['[find owner]', '[find gift]', '[check]', '[answer]'];

const environment = `
const ask = { seat: 'worker', choices: ${JSON.stringify(goals)}, window: 1 };
const say = ({ owner, gift }) => ['owner', 'gift'].map((name, i) => 'The ' + name + ' is ' + [owner, gift][i].seen + '.').join(' ');
const unknown = { seen: 'not known', right: false };
export default {
  id: 'hops@1',
  about: { summary: 'A question of two hops.', tasks: [{}], turns: 8, complete: true, listed: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['worker'],
  start: () => ({ state: { owner: unknown, gift: unknown, turn: 0 }, messages: [{ to: ['worker'], text: say({ owner: unknown, gift: unknown }) }], asks: [ask] }),
  step(before, actions, rng) {
    const move = actions.worker.text;
    let { owner, gift } = before;
    const found = (right) => ({ seen: 'found', right });
    const checked = (item) => (item.seen === 'found' ? { ...item, seen: item.right ? 'right' : 'wrong' } : item);
    if (move === '[find owner]') [owner, gift] = [found(rng.next() < 0.7), unknown];
    if (move === '[find gift]' && owner !== unknown) gift = found(owner.right && rng.next() < 0.9);
    if (move === '[check]') [owner, gift] = [checked(owner), checked(gift)];
    const state = { owner, gift, turn: before.turn + 1 };
    const over = move === '[answer]' || state.turn === 8;
    return { state, messages: over ? [] : [{ to: ['worker'], text: say(state) }], asks: over ? [] : [ask], ...(over ? { rewards: { worker: move === '[answer]' && gift.right ? 1 : 0 } } : {}) };
  },
};`;

const members = `
const last = ({ view }) => view.seen.filter((item) => item.kind === 'message').at(-1)?.text ?? '';
const speaker = (name, says) => ({ name, speaks: true, act: (turn) => ({ action: { text: says(turn) } }) });
export const executor = speaker('executor', (turn) => (turn.rng.next() < 0.1 ? 'Answer: [check]' : 'Answer: ' + (/asks you: .*?(\\[[a-z ]+\\])/.exec(last(turn))?.[1] ?? '')));
export const verifier = speaker('verifier', () => 'Enough: no');
export const generator = speaker('generator', () => 'Answer: [check]');`;

export default async function run({ arm = 'flow', games = 12_000, seed = 1 }: ProgramOptions): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-flow-'));
  const file = (name: string) => join(folder, name);
  try {
    writeFileSync(file('hops.mjs'), environment);
    writeFileSync(file('members.mjs'), members);
    const others = ['executor', 'verifier', 'generator'].map((name) => ({ name, kind: `${file('members.mjs')}#${name}` }));
    const settings = {
      protocol: 'four-modules',
      rounds: 1,
      goals,
      members: [{ name: 'planner', kind: 'random' }, ...others],
      off: ['memory', 'verifier'],
    };
    writeFileSync(file('team.json'), JSON.stringify({ name: 'crew', kind: 'team', settings }));
    const crew = `crew:${file('team.json')}@${file('hops.mjs')}`;
    const seats = `--environment ${file('hops.mjs')} --set training.team=${file('team.json')} --set training.member=planner`;
    if (arm === 'flow') {
      const trained = await runCommand(`ludus train flow-grpo ${seats} --seed ${seed} --games ${games} --json`, Number(seed));
      return { right: numberAt(trained, 'gain.after'), before: numberAt(trained, 'gain.before'), games: Number(games) };
    }
    const frozen = Object.fromEntries(others.map(({ name }) => [name, `member:${file('team.json')}#${name}`]));
    const plan = {
      name: 'logs',
      environments: [crew],
      seeds: { from: Number(seed) * 10_000, count: Number(games) },
      casts: [{ planner: 'random', ...frozen }],
    };
    writeFileSync(file('plan.json'), JSON.stringify(plan));
    const imitate = `ludus train imitate --from logs --where return>0 ${seats} --seed ${seed} --json`;
    const learned = await runCommand(`ludus run ${file('plan.json')} && ${imitate}`, Number(seed));
    return { right: numberAt(learned, 'gain.after'), before: numberAt(learned, 'gain.before'), games: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
