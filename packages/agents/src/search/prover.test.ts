import { type Agent, defineEnvironment, type EpisodeEvent, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { type SearchMind, searchAgent } from './agent.ts';
import { readSearch } from './settings.ts';

const rules: Readonly<Record<string, (word: string) => string>> = {
  '[swap]': (word) => `${word[1]}${word[0]}${word.slice(2)}`,
  '[left]': (word) => `${word.slice(1)}${word[0]}`,
};

/** A word of five letters is to become ABCDE by swapping its first two letters and by moving the first to the end. */
const words = (start: string) =>
  defineEnvironment({
    id: 'words@1',
    about: { summary: 'Prove a word.', tasks: [{}], turns: 12, complete: true, open: true },
    parameters: {},
    seats: ['prover'],
    start: () => ({ state: { word: start }, messages: `Prove ${start}.` }),
    turn: () => ({ seat: 'prover', choices: Object.keys(rules) }),
    play(state, move) {
      const word = rules[move]?.(state.word) ?? state.word;
      const over = word === 'ABCDE';
      return { state: { ...state, word }, messages: `Prove ${word}.`, over, ...(over ? { rewards: { prover: 1 } } : {}) };
    },
    scripts: {},
  });

const start = 'CBADE';
const planner = (goals: readonly string[]): Agent =>
  scripted(
    'planner',
    Object.assign(() => ({ text: goals.map((goal) => `Sub-goal: Prove ${goal}.`).join('\n') }), { speaks: true as const }),
  );

async function proof(settings: Readonly<Record<string, Json>>, judge?: Agent, earlier?: Json) {
  const spec = { name: 'prover', kind: 'search', settings: { strategy: 'prover', simulations: 400, ...settings } };
  const past = earlier === undefined ? {} : { earlier: () => Promise.resolve({ mind: earlier, paths: [] }) };
  const agent = searchAgent({ name: 'prover', environment: 'words', settings: readSearch(spec), base: undefined, judge, ...past });
  const log: EpisodeEvent[] = [];
  for await (const event of play(words(start), { prover: agent }, { seed: 1 })) log.push(event);
  const minds = log.flatMap((event) => (event.kind === 'action' ? [event.mind as unknown as SearchMind] : []));
  const end = log.at(-1);
  return {
    paid: end?.kind === 'end' ? (end.returns['prover'] ?? 0) : 0,
    moves: minds.length,
    mind: minds.at(-1),
    acted: minds.at(-1)?.acted ?? {},
  };
}

/** On the shortest proof: one word, two rules before it and the others after it. */
async function middleWord(): Promise<string> {
  const { mind } = await proof({ subtasks: false });
  const route = mind?.proofs?.find(({ goal }) => goal === '')?.moves ?? [];
  return route.slice(0, Math.floor(route.length / 2)).reduce((word, move) => rules[move]?.(word) ?? word, start);
}

describe('a prover', () => {
  it('follows the path that it found, without another search', async () => {
    const { paid, moves, acted } = await proof({ subtasks: false });
    expect(paid).toBe(1);
    expect(acted).toMatchObject({ proved: 1, followed: moves - 1 });
  });

  it('needs fewer steps with a right sub-goal, and reaches the end without a right one', async () => {
    const flat = await proof({ subtasks: false });
    const planned = await proof({}, planner([await middleWord()]));
    expect(planned).toMatchObject({ paid: 1, acted: { planned: 1, reached: 1 } });
    expect(planned.acted['expanded']).toBeLessThan(flat.acted['expanded'] ?? 0);
    const misled = await proof({ refine: false }, planner(['ABBBB']));
    expect(misled).toMatchObject({ paid: 1, acted: { planned: 1, proved: 1 } });
    expect(misled.acted['reached']).toBeUndefined();
  });

  it('uses the cache of an earlier episode, unless it is switched off or no longer true', async () => {
    const middle = await middleWord();
    const { mind } = await proof({}, planner([middle]));
    const again = await proof({ lasting: true }, planner([middle]), mind as unknown as Json);
    expect(again).toMatchObject({ paid: 1, acted: { cached: 2 } });
    expect(again.acted['expanded']).toBeUndefined();
    const off = await proof({ lasting: true, cache: false }, planner([middle]), mind as unknown as Json);
    expect(off.acted).not.toHaveProperty('cached');
    const wrong = { proofs: [{ from: `Prove ${start}.`, goal: `Prove ${middle}.`, moves: ['[swap]', '[swap]'] }] };
    const checked = await proof({ lasting: true }, planner([middle]), wrong);
    expect(checked).toMatchObject({ paid: 1, acted: { reached: 1 } });
    expect(checked.acted).not.toHaveProperty('cached');
  });
});
