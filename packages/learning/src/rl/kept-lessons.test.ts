/** @file Learning from what is kept: values put together from several episodes, filters, rounds of own successes. */

import type { Environment, EpisodeEvent, Json, Learner, TokenRow, View } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { KeptGuide, withinBand } from './kept-guide.ts';
import { bestOf, keptRows, returnOf as returnOfKept, withoutSpans } from './kept-lessons.ts';
import { chanceToOpen, locks } from './locks.cases.ts';
import { type LoggedTurn, turnsInLog } from './log-turns.ts';
import { imitation } from './losses/imitation.ts';
import { expectileOf, implicitValues, type KeptStep, monteCarloValues } from './offline-critic.ts';
import type { Recipe, Weighing } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

/** Two turns; what is paid in each is the environment's to say, and only the turn is seen. */
const two: Environment<number, Json> = {
  id: 'two@1',
  about: { summary: 'Two turns.', tasks: [{}], turns: 2, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['one'],
  start: () => ({ state: 0, messages: [{ to: ['one'], text: 'first' }], asks: [{ seat: 'one', choices: ['good', 'bad'] }] }),
  step(state, actions) {
    const good = actions['one']?.text === 'good';
    const rewards = { one: good ? (state === 0 ? 0.9 : 1) : 0 };
    if (state === 1) return { state: 2, messages: [], asks: [], rewards };
    return { state: 1, messages: [{ to: ['one'], text: 'second' }], asks: [{ seat: 'one', choices: ['good', 'bad'] }], rewards };
  },
};

/** The position alone: how it was reached does not count. */
function lastText({ seen }: View): string {
  const last = seen.findLast((item) => item.kind === 'message');
  return last?.kind === 'message' ? last.text : '';
}

async function logOf(answers: readonly string[]): Promise<readonly EpisodeEvent[]> {
  let at = 0;
  const policy = scriptedPolicy('told', () => ({ text: answers[at++] as string }));
  return (await rollout(two, { one: policy }, { seeds: [1] }))[0] as readonly EpisodeEvent[];
}

async function returnOf(learner: Tabular): Promise<number> {
  const policy = learner.policy({ temperature: 0 });
  const log = (await rollout(two, { one: policy }, { seeds: [1] }))[0]!;
  const end = log.at(-1);
  return end?.kind === 'end' ? end.returns['one']! : Number.NaN;
}

describe('offline values', () => {
  const last = (answer: string, reward: number): KeptStep => ({ state: 'second', answer, reward, next: null });
  const steps = [
    { state: 'first', answer: 'good', reward: 0.9, next: last('bad', 0) },
    { state: 'first', answer: 'bad', reward: 0, next: last('good', 1) },
  ];
  const all = [...steps, ...steps.map(({ next }) => next)];

  it('use possible continuations with implicit learning: 1.791 and 0.891 instead of 0.9 and 0.99', () => {
    const [good, bad] = monteCarloValues(all, 0.99);
    expect([good?.q, bad?.q]).toEqual([0.9, 0.99]);
    const implicit = implicitValues(all, { discount: 0.99, expectile: 0.9 });
    expect(implicit[0]?.q).toBeCloseTo(1.791, 9);
    expect(implicit[1]?.q).toBeCloseTo(0.891, 9);
    expect(expectileOf([0, 1], 0.7)).toBeCloseTo(0.7, 9);
    expect(expectileOf([0.2, 0.4, 0.9], 0.5)).toBeCloseTo(0.5, 9);
  });

  it('stitch two half-good episodes to a return of 1.9 instead of 1', async () => {
    const logs = [await logOf(['good', 'bad']), await logOf(['bad', 'good'])].map((log) => ({ log, seat: 'one' }));
    const learnt = async (retained: typeof logs, weigh?: Weighing) => {
      const learner = new Tabular({ key: lastText });
      const { rows } = keptRows(learner, retained, weigh);
      for (let step = 0; step < 200; step++) {
        await learner.forwardBackward(imitation(rows), 'cross_entropy');
        await learner.optimStep({ rate: 0.1 });
      }
      return returnOf(learner);
    };
    expect(await learnt(logs, { kind: 'implicit', discount: 0.99, expectile: 0.9, beta: 16 })).toBe(1.9);
    expect(await learnt(logs, { kind: 'monte-carlo', discount: 0.99, beta: 16 })).toBe(1);
    expect(await learnt(bestOf(logs, 0.5) as typeof logs)).toBe(1);
  });
});

describe('saved episodes', () => {
  it('produce the same rows as those the player was trained on', async () => {
    const learner = new Tabular();
    const [log] = (await rollout(locks, { opener: learner.policy() }, { seeds: [3] })) as [readonly EpisodeEvent[]];
    const played = log.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []) : []));
    const rows = turnsInLog(log, ['opener']).map(({ turn, action }) => learner.rowOf(turn, action.text));
    expect(rows.map(({ tokens }) => Array.from(tokens))).toEqual(
      played.map(({ promptTokenIds = [], tokenIds = [] }) => [...promptTokenIds, ...tokenIds]),
    );
    expect(turnsInLog(log, ['opener']).map(({ number, reward }) => [number, reward])).toEqual([
      [0, 0],
      [1, 0],
      [2, expect.any(Number)],
    ]);
  });

  it('omit masked turns, and masked tokens have a loss of exactly 0', async () => {
    const learner = new Tabular();
    const keyholder = scriptedPolicy('keyholder', locks.scripts!['keyholder']!);
    const [log] = (await rollout(locks, { opener: keyholder }, { seeds: [3] })) as [readonly EpisodeEvent[]];
    const all = keptRows(learner, [{ log, seat: 'opener' }]);
    const partialKeptRows = keptRows(learner, [{ log, seat: 'opener', masked: new Set([1]) }]);
    expect([all.turns, partialKeptRows.turns, partialKeptRows.left]).toEqual([3, 2, { masked: 1 }]);
    expect(partialKeptRows.rows).toEqual([all.rows[0], all.rows[2]]);
    const hidden = all.rows.map((row) => ({ ...row, mask: Array.from(row.mask, () => 0) }));
    const { loss, tokens } = (await learner.forwardBackward(imitation(hidden), 'cross_entropy')) as { loss: number; tokens: number };
    expect([Object.is(Math.abs(loss), 0), tokens]).toEqual([true, 0]);
    expect(learner.table.gradient().every((value) => value === 0)).toBe(true);
  });
});

describe('rounds of self-imitation', () => {
  const recipe = builtInRecipe('agent-evol');
  const briefly = (rounds: Recipe['rounds'], games = 2000): Recipe => ({
    ...recipe,
    ...(rounds !== undefined && { rounds }),
    training: { ...recipe.training, environment: 'locks', task: { digits: 2 }, games, batch: 20, rate: { from: 0.2, to: 0.2 } },
  });
  const trained = async (recipe: Recipe, base: 'novice' | 'nobody') => {
    const learner = new Tabular();
    const novice = scriptedPolicy('novice', locks.scripts!['novice']!);
    const logs =
      base === 'nobody'
        ? []
        : await rollout(locks, { opener: novice }, { seeds: Array.from({ length: 40 }, (_, i) => i), task: { digits: 2 } });
    const visible = logs.map((log) => ({ log, seat: 'opener' })).filter((item) => returnOfKept(item) > 0);
    const guides = [new KeptGuide({ learner, seed: 1, base: visible, rounds: recipe.rounds })];
    await new TrainingLoop(recipe, { environment: locks, learner, seed: 1, guides }).run();
    return chanceToOpen(learner, { digits: 2 });
  };

  it('open locks without a demonstration, and add nothing without any reward', async () => {
    const rounds = { ...recipe.rounds!, updates: 25 };
    // Imitation alone opens the lock that was shown, one of four.
    expect(await trained(briefly({ ...rounds, least: 2 }), 'novice')).toBeLessThan(0.35);
    expect(await trained(briefly(rounds), 'novice')).toBeGreaterThan(0.6);
    expect(await trained(briefly({ ...rounds, least: 2 }), 'nobody')).toBeCloseTo(1 / 16, 9);
  });

  it('drop the lowest and highest tenth by perplexity', () => {
    const perplexities = [1.01, 1.05, 1.2, 1.5, 1.8, 2.2, 2.9, 4, 9, 40];
    const retained = withinBand(perplexities, perplexities.map(Math.log), [0.1, 0.9]);
    expect(retained).toEqual(perplexities.slice(1, -1));
    expect(withinBand(perplexities, perplexities.map(Math.log), [0, 1])).toEqual(perplexities);
  });
});

describe('masked part of an answer', () => {
  /** Writes by pairs of letters, so that tokens join what a part is cut out of; 0 is the end. */
  const pairs = (text: string) => [
    ...Array.from(text.match(/..?/gs) ?? [], (pair) => pair.charCodeAt(0) * 65_536 + (pair.charCodeAt(1) || 0)),
    0,
  ];
  const rowOf = (_: unknown, text: string): TokenRow => ({ tokens: [1, ...pairs(text)], mask: [0, ...pairs(text).map(() => 1)] });
  const writer = { id: 'pairs', rowOf, rowFor: rowOf } as unknown as Learner;
  const said = (text: string) => ({ turn: {}, action: { text } }) as unknown as LoggedTurn;
  const learned = ({ tokens, mask }: TokenRow) => Array.from(tokens).map((token, i) => (mask[i] === 1 ? token : null));

  it('excludes every token that overlaps the mask and keeps all others, with the whole text read', () => {
    for (let seed = 0; seed < 300; seed++) {
      const dice = rng(seed, 'answers');
      const text = Array.from({ length: 2 + dice.int(12) }, () => dice.pick(['a', 'b'])).join('');
      const from = dice.int(text.length);
      const to = from + 1 + dice.int(text.length - from);
      const row = rowOf(null, text);
      const masked = withoutSpans(writer, said(text), { row, spans: [[from, to]] });
      expect(Array.from(masked.tokens)).toEqual(Array.from(row.tokens));
      // The token at place n holds letters 2n and 2n + 1.
      for (const [place, token] of learned(masked).slice(1, -1).entries())
        if (token !== null) expect([2 * place + 1 < from || 2 * place >= to, seed]).toEqual([true, seed]);
      expect(learned(masked).slice(1, 1 + Math.floor(from / 2))).not.toContain(null);
    }
  });

  it('has a weight of exactly 0, in a row that is kept for its remaining tokens', () => {
    const start: EpisodeEvent = { kind: 'start', environment: 'x@1', task: {}, seed: 1, seats: ['one'], cast: {} };
    const log: readonly EpisodeEvent[] = [
      start,
      { kind: 'turn', asks: [{ seat: 'one' }] },
      { kind: 'action', seat: 'one', action: { text: 'goodbaad' } },
      { kind: 'end', reason: 'over', returns: { one: 1 }, penalties: {}, turns: 1 },
    ];
    const rowsWith = (spans: readonly (readonly [number, number])[]) =>
      keptRows(writer, [{ log, seat: 'one', quoted: new Map([[0, spans]]) }]);
    const [row] = imitation(rowsWith([[4, 8]]).rows) as [TokenRow];
    expect(Array.from(row.weights!)).toEqual([0, 1 / 3, 1 / 3, 0, 0, 1 / 3]);
    expect(Array.from((imitation(rowsWith([]).rows) as [TokenRow])[0].weights!).filter((value) => value > 0)).toHaveLength(5);
    // One who chooses among listed moves writes one token: nothing of it is left.
    const table = { ...writer, rowFor: undefined } as unknown as Learner;
    const choosing = log.map((event) => (event.kind === 'turn' ? { ...event, asks: [{ seat: 'one', choices: ['goodbaad'] }] } : event));
    const none = keptRows(table, [{ log: choosing, seat: 'one', quoted: new Map([[0, [[4, 8]] as const]]) }]);
    expect([none.turns, none.left]).toEqual([0, { masked: 1 }]);
  });
});
