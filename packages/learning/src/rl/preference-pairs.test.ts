import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type EpisodeEvent, type Json, type Lesson, type ModelCall, rng, type Score } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/tabular.ts';
import { desirabilities, personaPairs, preferencePairs } from './preference-pairs.ts';
import { preferGood, preferPairs } from './preference-training.ts';

const free = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

interface Made {
  readonly id: string;
  readonly said: readonly string[];
  readonly score: number | null;
  readonly task?: Json;
  readonly seed?: number;
  readonly reason?: 'over' | 'error';
  readonly more?: Partial<Score>;
  readonly calls?: readonly ModelCall[];
}

/** A talk in which ann speaks between bob's questions. */
function lesson({ id, said, score, task = {}, seed = 1, reason = 'over', more = {}, calls }: Made): Lesson {
  const talk = said.flatMap((text, i): EpisodeEvent[] => [
    { kind: 'message', to: ['ann'], from: 'bob', text: `question ${i}` },
    { kind: 'action', seat: 'bob', action: { text: `question ${i}` } },
    { kind: 'action', seat: 'ann', action: { text }, ...(calls === undefined ? {} : { calls: [calls[i]!] }) },
  ]);
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'talk@1', task, seed, seats: ['ann', 'bob'], cast: { ann: 'a', bob: 'b' } },
    ...talk,
    { kind: 'end', reason, returns: { ann: said.length, bob: 0 }, penalties: { ann: 0, bob: 0 }, turns: said.length },
  ];
  const otherScore: Score = { name: 'kind', value: score, status: score === null ? 'unparsed' : 'ok', evidence: [], cost: free, ...more };
  return { episode: { id, events }, seat: 'ann', scores: [otherScore] };
}

const kind = { score: 'kind' } as const;

describe('preference pairs', () => {
  it('compare scores on the same task, seed, and seat, with the shared prefix as the prompt', () => {
    const lessons = [
      lesson({ id: 'low', said: ['hello', 'go away'], score: 1 }),
      lesson({ id: 'high', said: ['hello', 'stay'], score: 3 }),
      lesson({ id: 'other seed', said: ['best'], score: 9, seed: 2 }),
      lesson({ id: 'other task', said: ['worst'], score: -9, task: { x: 1 } }),
    ];
    const { made, left } = preferencePairs(lessons, kind);
    expect(left).toEqual({ 'nothing to compare with': 2 });
    expect(made).toMatchObject([
      {
        seat: 'ann',
        split: 'train',
        margin: 2,
        prompt: [
          { role: 'user', content: 'bob: question 0' },
          { role: 'assistant', content: 'hello' },
          { role: 'user', content: 'bob: question 1' },
        ],
        chosen: { from: 'high', score: 3, messages: [{ role: 'assistant', content: 'stay' }], mask: [1] },
        rejected: { from: 'low', score: 1, messages: [{ role: 'assistant', content: 'go away' }], mask: [1] },
      },
    ]);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });

  it('keep own text on both sides if one conversation extends the other', () => {
    const { made } = preferencePairs([lesson({ id: 'a', said: ['x'], score: 1 }), lesson({ id: 'b', said: ['x', 'y'], score: 2 })], kind);
    expect(made[0]?.prompt.length).toBe(1);
    expect(made[0]?.chosen.mask).toEqual([1, 0, 1]);
    expect(made[0]?.rejected.mask).toEqual([1]);
  });

  it('are extremes, neighbors, or all pairs, with more than the given margin', () => {
    const lessons = [4, 1, 3, 3].map((score, i) => lesson({ id: `${i}`, said: [`word ${i}`], score }));
    const ids = (pairs: 'extremes' | 'neighbors' | 'all', margin = 0) =>
      preferencePairs(lessons, { ...kind, pairs, margin }).made.map(({ chosen, rejected }) => `${chosen.from}>${rejected.from}`);
    expect(ids('extremes')).toEqual(['0>1']);
    expect(ids('neighbors')).toEqual(['0>2', '3>1']);
    expect(ids('all')).toEqual(['0>2', '0>3', '0>1', '2>1', '3>1']);
    expect(ids('all', 1)).toEqual(['0>1', '2>1', '3>1']);
    expect(ids('all', 3)).toEqual([]);
  });

  it('invert scores where lower is better, and can use returns', () => {
    const more = { lowerIsBetter: true };
    const lessons = [lesson({ id: 'a', said: ['x'], score: 1, more }), lesson({ id: 'b', said: ['x', 'y'], score: 2, more })];
    expect(preferencePairs(lessons, kind).made[0]).toMatchObject({ margin: 1, chosen: { from: 'a', score: -1 } });
    expect(preferencePairs(lessons, { score: 'return' }).made[0]).toMatchObject({ margin: 1, chosen: { from: 'b', score: 2 } });
  });

  it('skip episodes without a score, an end, or own text, and count them', () => {
    const lessons = [
      lesson({ id: 'a', said: ['x'], score: null }),
      lesson({ id: 'b', said: ['x'], score: 2, more: { seat: 'bob' } }),
      lesson({ id: 'c', said: ['x'], score: 2, more: { turn: 1 } }),
      lesson({ id: 'd', said: ['x'], score: 2, reason: 'error' }),
      lesson({ id: 'e', said: [], score: 2 }),
      lesson({ id: 'f', said: ['x'], score: 2 }),
      lesson({ id: 'g', said: ['x'], score: 3 }),
    ];
    expect(preferencePairs(lessons, kind)).toEqual({
      made: [],
      left: { 'no score': 3, 'not played to an end': 1, 'no own words': 1, 'same words': 1 },
    });
  });

  it('assign each task to either training or evaluation', () => {
    const lessons = Array.from({ length: 600 }, (_, i) =>
      lesson({ id: `${i}`, said: [`word ${i}`], score: i, task: { number: Math.floor(i / 6) }, seed: i % 2 }),
    );
    for (const make of [preferencePairs, desirabilities]) {
      const results: readonly { readonly task: string; readonly split: string }[] = make(lessons, {
        ...kind,
        evalShare: 0.3,
        seed: 4,
      }).made;
      const tasks = (split: string) => new Set(results.filter((item) => item.split === split).map(({ task }) => task));
      expect([...tasks('train')].filter((task) => tasks('eval').has(task))).toEqual([]);
      expect(tasks('train').size + tasks('eval').size).toBe(100);
      expect(tasks('eval').size).toBeGreaterThan(15);
      expect(tasks('eval').size).toBeLessThan(45);
    }
    const splits = (seed: number) => preferencePairs(lessons, { ...kind, evalShare: 0.3, seed }).made.map(({ split }) => split);
    expect(splits(4)).toEqual(splits(4));
    expect(splits(4)).not.toEqual(splits(5));
    expect(new Set(preferencePairs(lessons, kind).made.map(({ split }) => split))).toEqual(new Set(['train']));
  });
});

describe('desirability', () => {
  it('is measured against the group mean, with equal weight on both sides', () => {
    const lessons = [5, 0, 1, 2].map((score, i) => lesson({ id: `${i}`, said: [`word ${i}`], score }));
    const { made, left } = desirabilities(lessons, { ...kind, margin: 0.5 });
    expect(made.map(({ side, good, weight }) => [side.from, good, weight])).toEqual([
      ['0', true, 2],
      ['1', false, 1],
      ['2', false, 1],
    ]);
    expect(left).toEqual({ 'neither good nor bad': 1 });
    expect(made[0]).toMatchObject({
      prompt: [{ role: 'user' }],
      side: { messages: [{ role: 'assistant', content: 'word 0' }], mask: [1] },
    });
  });
});

describe('persona pairs', () => {
  const prompt = [{ role: 'user', content: 'Where do you live?' }] as const;
  // The replies and scores of the published example: 1.608, .996 and .033 with two statements.
  const replies = [
    { persona: 'koishi', prompt, text: 'I live in Chireiden!', score: 0.996 },
    { persona: 'koishi', prompt, text: 'I live in Hakurei Shrine!', score: 0.033 },
    { persona: 'koishi', prompt, text: 'I live in Chireiden with my sister, Satori!', score: 1.608 },
    { persona: 'reimu', prompt, text: 'I live in Hakurei Shrine!', score: 1.5 },
    { persona: 'reimu', prompt, text: 'At the shrine.', score: 1.35 },
    { persona: 'reimu', prompt, text: '…', score: null },
  ];

  it('choose the more faithful of two replies to a prompt, if it leads by more than 0.2', () => {
    const { made, left } = personaPairs(replies);
    expect(made).toMatchObject([
      {
        seat: 'koishi',
        prompt,
        chosen: { from: '2', messages: [{ role: 'assistant', content: 'I live in Chireiden with my sister, Satori!' }], mask: [1] },
        rejected: { from: '1' },
      },
    ]);
    expect(made[0]?.margin).toBeCloseTo(1.575, 12);
    expect(left).toEqual({ 'no score': 1, 'too close': 1 });
    expect(personaPairs(replies, { margin: 0.1, pairs: 'all' }).made.length).toBe(4);
  });
});

describe('learning from preferences', () => {
  /** Games of Kuhn poker between tables that know nothing, each deal many times. */
  async function played(learner: Tabular): Promise<readonly Lesson[]> {
    const policy = learner.policy();
    const seeds = Array.from({ length: 60 }, (_, i) => i % 6);
    const logs: (readonly EpisodeEvent[])[] = [];
    for (const [i, seed] of seeds.entries()) {
      const noisy = {
        name: 'noisy',
        act: (turns: Parameters<typeof policy.act>[0]) =>
          policy.act(turns.map((turn) => ({ ...turn, rng: rng(i, 'noise', turn.view.seen.length) }))),
      };
      logs.push(...(await rollout(kuhnPoker, { first: noisy, second: noisy }, { seeds: [seed] })));
    }
    return logs.flatMap((events, i) => ['first', 'second'].map((seat) => ({ episode: { id: `${i}`, events }, seat, scores: [] })));
  }

  it('with DPO starts at ln 2, matches finite differences, and comes to prefer the better answer', async () => {
    const learner = new Tabular({ optimiser: 'sgd' });
    const { made } = preferencePairs(await played(learner), { score: 'return' });
    expect(made.length).toBeGreaterThan(5);
    const first = await preferPairs(learner, made, 0.5);
    expect(first.loss).toBeCloseTo(Math.LN2, 12);
    expect(first.margin).toBe(0);
    const gradient = learner.table.gradient();
    const set = 1;
    const at = learner.table.at(set);
    const lossAt = async (move: number) => {
      learner.table.place(set, [move, 0]);
      return (await preferPairs(learner, made, 0.5)).loss;
    };
    const slope = ((await lossAt(1e-5)) - (await lossAt(-1e-5))) / 2e-5;
    expect(slope).toBeCloseTo(gradient[at]!, 8);
    expect(Math.abs(slope)).toBeGreaterThan(1e-4);
    await lossAt(0);
    await learner.optimStep({ rate: 0 });
    let preferred = first;
    for (let step = 0; step < 60; step++) {
      preferred = await preferPairs(learner, made, 0.5);
      await learner.optimStep({ rate: 2 });
    }
    expect(preferred.loss).toBeLessThan(first.loss - 0.05);
    expect(preferred.accuracy).toBeGreaterThan(0.7);
    expect(preferred.margin).toBeGreaterThan(0.3);
  });

  it('with KTO starts at one half and separates good from bad', async () => {
    const learner = new Tabular({ optimiser: 'sgd' });
    const { made } = desirabilities(await played(learner), { score: 'return', margin: 0.5 });
    const first = await preferGood(learner, made, { beta: 0.5 });
    const weight = made.reduce((sum, desirability) => sum + desirability.weight, 0) / made.length;
    expect(first.loss).toBeCloseTo(weight / 2, 12);
    let preferred = first;
    for (let step = 0; step < 60; step++) {
      await learner.optimStep({ rate: 2 });
      preferred = await preferGood(learner, made, { beta: 0.5, mismatched: made.map(({ side }) => side) });
    }
    expect(preferred.loss).toBeLessThan(first.loss - 0.01);
    expect(preferred.margin).toBeGreaterThan(0.1);
  });

  it('requires token ids in the log', async () => {
    const { made } = preferencePairs([lesson({ id: 'a', said: ['x'], score: 1 }), lesson({ id: 'b', said: ['y'], score: 2 })], kind);
    await expect(preferPairs(new Tabular(), made)).rejects.toThrow(/The log of b has no tokens to learn from/);
  });
});
