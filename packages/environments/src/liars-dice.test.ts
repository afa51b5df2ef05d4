import { type EndEvent, type Json, rng, type Script, scripted, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../test/fixtures/amount.ts';
import { logOf } from '../../../test/random-environments.ts';
import { liarsDice } from './liars-dice.ts';
import { cfr, distance, expectedReturns, gameTree, type Node, strategyOf, type TreeStrategy, together, uniform } from './solve/index.ts';

const anchors = liarsDice.scripts as Readonly<Record<string, Script>>;
const anchor = (name: string) => anchors[name]!;

function meanLength(node: Node, strategy: TreeStrategy): number {
  if (node.kind === 'terminal') return 0;
  const weights = node.kind === 'chance' ? node.chances : strategy[node.set.index]!;
  const rest = node.children.reduce((sum, child, i) => sum + weights[i]! * meanLength(child, strategy), 0);
  return rest + (node.kind === 'decision' ? 1 : 0);
}

describe('liars-dice with two seats and one die each, solved exactly', () => {
  // Six faces belong to the long tests.
  const tables = [
    { faces: 3, wild: true, value: 1 / 9, iterations: 500, gap: 1e-5 },
    { faces: 4, wild: true, value: 1 / 16, iterations: 800, gap: 3e-4 },
    { faces: 4, wild: false, value: -1 / 8, iterations: 500, gap: 1e-5 },
    { faces: 6, wild: true, value: -0.0271317829, iterations: 120, gap: 6e-3 },
    { faces: 6, wild: false, value: -1 / 9, iterations: 40, gap: 2e-3 },
  ];
  it.each(tables.slice(0, amount(3, 5)))(
    'with $faces faces (wild: $wild) is worth $value to the opening seat',
    ({ faces, wild, value, iterations, gap }) => {
      const tree = gameTree(liarsDice, { faces, wild });
      const bids = 2 * faces;
      expect(tree.sets.length).toBe(faces * 2 ** bids);
      expect(tree.terminals).toBe(faces ** 2 * (2 ** bids - 1));
      const { values, bestResponses } = distance(tree, cfr(tree, iterations));
      const [high, low] = [bestResponses[0]!, -bestResponses[1]!];
      expect(low).toBeLessThanOrEqual(value + 1e-9);
      expect(high).toBeGreaterThanOrEqual(value - 1e-9);
      expect(high - low).toBeLessThan(gap);
      expect(Math.abs(values[0]! - value)).toBeLessThan(1e-3);
      if (faces !== 6 || !wild) return;
      expect([tree.sets.length, tree.terminals]).toEqual([24_576, 147_420]);
      expect(expectedReturns(tree, uniform(tree))[0]).toBeCloseTo(-7 / 216, 12);
      expect(meanLength(tree.root, uniform(tree))).toBeCloseTo(3.3618, 4);
    },
  );

  it('has another value if the opening seat may not bid high', () => {
    const tree = gameTree(
      {
        ...liarsDice,
        start(task, dice) {
          const step = liarsDice.start(task, dice);
          return { ...step, asks: step.asks.map((ask) => ({ ...ask, choices: (ask.choices ?? []).slice(0, 1) })) };
        },
      },
      { faces: 3 },
    );
    const { bestResponses } = distance(tree, cfr(tree, 500));
    expect(bestResponses[0]).toBeLessThan(1 / 9 - 0.05);
  });
});

describe('liars-dice scripts', () => {
  it.each([{ faces: 3 }, { faces: 4 }, { faces: 4, wild: false }])(
    'cfr is an equilibrium and beats the exploitable odds script: %j',
    (task) => {
      const tree = gameTree(liarsDice, task);
      const even = strategyOf(tree, [anchor('cfr'), anchor('cfr')]);
      const odds = strategyOf(tree, [anchor('odds'), anchor('odds')]);
      expect(distance(tree, even).nashConv).toBeLessThan(2e-3);
      expect(distance(tree, odds).nashConv).toBeGreaterThan(0.3);
      const gain = expectedReturns(tree, together(tree, [even, odds]))[0]! - expectedReturns(tree, together(tree, [odds, even]))[0]!;
      expect(gain).toBeGreaterThan(0);
      for (const seat of [0, 1]) {
        const both = seat === 0 ? [odds, uniform(tree)] : [uniform(tree), odds];
        expect(expectedReturns(tree, together(tree, both))[seat]).toBeGreaterThan(0.2);
      }
    },
  );

  it('cfr rejects configurations it has not solved', async () => {
    const agents = { first: scripted('cfr', anchor('cfr')), second: scripted('odds', anchor('odds')) };
    const log = await logOf(play(liarsDice, agents, { task: { dice: 2 } }));
    expect(log.at(-1)).toMatchObject({ reason: 'error', fault: { boundary: 'input', seat: 'first' } });
  });
});

describe('liars-dice', () => {
  const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });
  const seatsOf = (task: Json) => liarsDice.seats(liarsDice.task(task));
  const everyone = (task: Json, script: Script) => Object.fromEntries(seatsOf(task).map((seat) => [seat, scripted('one', script)]));

  /** Plays by chance and gives every state. */
  async function states(task: Json, seed: number) {
    const states: ReturnType<typeof liarsDice.start>['state'][] = [];
    const watched: typeof liarsDice = {
      ...liarsDice,
      step(state, actions, dice) {
        const step = liarsDice.step(state, actions, dice);
        states.push(step.state);
        return step;
      },
    };
    const log = await logOf(play(watched, everyone(task, random), { task, seed }));
    return { seen: states, log, end: log.at(-1) as EndEvent };
  }

  it.each([2, 3, 4, 5, 6])('removes one die per round from %i seats until one is left, and pays by rank', async (seats) => {
    const task = { seats, dice: 2, faces: 6 };
    for (let seed = 0; seed < 5; seed++) {
      const { seen, end } = await states(task, seed);
      const totals = seen.map(({ dice }) => dice.flat().length);
      for (const [i, total] of totals.entries()) expect((totals[i - 1] ?? 2 * seats) - total).toBeOneOf([0, 1]);
      const last = seen.at(-1);
      expect(last?.dice.filter((subset) => subset.length > 0)).toHaveLength(1);
      expect(last?.out).toHaveLength(seats - 1);
      const rewards = Object.values(end.returns).sort((a, b) => a - b);
      for (const [i, reward] of rewards.entries()) expect(reward).toBeCloseTo(-1 + (2 * i) / (seats - 1), 12);
      expect(end.returns[seatsOf(task)[last?.out[0] as number]!]).toBe(-1);
      expect(end.returns[seatsOf(task)[last?.dice.findIndex((subset) => subset.length > 0) as number]!]).toBe(1);
    }
  });

  it('accepts only rising bids, up to all dice with the highest face', async () => {
    for (let seed = 0; seed < 10; seed++) {
      const task = { seats: 3, dice: 2, faces: 4 };
      const { seen } = await states(task, seed);
      // The last state has lost a die after its bids.
      for (const { bids, dice } of seen.slice(0, -1)) {
        for (const [i, bid] of bids.entries()) expect(bid).toBeGreaterThan(bids[i - 1] ?? -1);
        expect(Math.max(-1, ...bids)).toBeLessThan(dice.flat().length * 4);
      }
    }
  });

  /** Bids `[bid 1 face]` and is challenged at once. */
  const challenged = async (face: number, wild: boolean, seed: number) => {
    const agents = { first: scripted('bids', () => ({ text: `[bid 1 ${face}]` })), second: scripted('doubts', () => ({ text: '[liar]' })) };
    const log = await logOf(play(liarsDice, agents, { task: { wild }, seed }));
    const { dice } = liarsDice.start(liarsDice.task({ wild }), rng(seed, 'start')).state;
    return { returns: (log.at(-1) as EndEvent).returns, dice: dice.flat(), text: textOf(viewOf(log, 'second')) };
  };

  it('gives the round to the bidder if the bid holds, counting wild faces', async () => {
    for (let seed = 0; seed < 40; seed++)
      for (const wild of [true, false])
        for (const face of [1, 6]) {
          const { returns, dice, text } = await challenged(face, wild, seed);
          const met = dice.includes(face) || (wild && dice.includes(6));
          expect(returns).toEqual(met ? { first: 1, second: -1 } : { first: -1, second: 1 });
          expect(text).toContain(`On the table: first ${dice[0]}, second ${dice[1]}.`);
        }
  });

  it('hides dice from other seats until a challenge', async () => {
    for (let seed = 0; seed < 30; seed++) {
      const { state, messages } = liarsDice.start(liarsDice.task({ seats: 3, dice: 3 }), rng(seed, 'start'));
      for (const [i, seat] of ['first', 'second', 'third'].entries()) {
        const read = messages.filter(({ to }) => to.includes(seat)).map(({ text }) => text);
        expect(read).toHaveLength(2);
        expect(read[1]).toContain(`you roll ${state.dice[i]?.join(' ')}.`);
        const swapped = { ...state, dice: state.dice.map((subset, k) => (k === i ? subset : subset.map(() => 1))) };
        expect(liarsDice.knows?.(swapped, seat)).toEqual(liarsDice.knows?.(state, seat));
      }
    }
  });

  it('takes a die for an invalid answer and continues', async () => {
    const agents = { first: scripted('mute', () => ({ text: '' })), second: scripted('random', random) };
    const log = await logOf(play(liarsDice, agents, { task: { dice: 2, retries: 0 } }));
    expect(log.at(-1)).toMatchObject({ reason: 'over', returns: { first: -1, second: 1 }, turns: 2 });
  });
});
