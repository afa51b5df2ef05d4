import { describe, expect, it } from 'vitest';
import { Dice, type Rng, rng, wordsOfPath } from './rng.ts';

/** The value that a chi-square statistic exceeds once in ten thousand, by Wilson and Hilferty's approximation. */
function critical(freedom: number): number {
  const ninth = 2 / (9 * freedom);
  return freedom * (1 - ninth + 3.719 * Math.sqrt(ninth)) ** 3;
}

/** The chi-square statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
}

/** How often each cell is hit. */
function tally(cells: number, draws: number, cellOf: (i: number) => number): number[] {
  const counts = new Array<number>(cells).fill(0);
  for (let i = 0; i < draws; i++) counts[cellOf(i)]!++;
  return counts;
}

const fair = (counts: readonly number[]) => expect(chiSquare(counts)).toBeLessThan(critical(counts.length - 1));
const some = (dice: Rng, n = 8) => Array.from({ length: n }, () => dice.next());

describe('[C4] random numbers by path', () => {
  it('are the same for the same seed and path', () => {
    expect(some(rng(7, 'step', 3))).toEqual(some(rng(7, 'step', 3)));
    const dice = new Dice(1, ['seat', 'X']);
    const again = new Dice(1, wordsOfPath('seat', 'X'));
    for (const place of [4, 0, 4, 7]) {
      expect(some(dice.at(place))).toEqual(some(rng(1, 'seat', 'X', place)));
      expect(some(again.at(place))).toEqual(some(rng(1, 'seat', 'X', place)));
    }
    dice.reset(2, ['step', -1]);
    expect(dice.seed).toBe(2);
    expect(some(dice)).toEqual(some(rng(2, 'step', -1)));
    expect(some(dice.at(3))).toEqual(some(rng(2, 'step', -1, 3)));
  });

  it('never change, so that existing logs replay', () => {
    const rolled = [rng(0), rng(1, 'start'), rng(2 ** 53 - 1, 'step', 12), rng(3, 'seat', 'first', 0, 'deep')].map((dice) =>
      dice.int(2 ** 32),
    );
    expect(rolled).toEqual([3373682759, 570799757, 2074875119, 1192394581]);
  });

  it('differ for any difference in seed or path', () => {
    const places = [
      rng(1, 'a', 'b'),
      rng(1, 'ab'),
      rng(1, 'b', 'a'),
      rng(1, 'a'),
      rng(1, 'a', ''),
      rng(1, '', 'a'),
      rng(1),
      rng(1, 1),
      rng(1, '1'),
      rng(1, 0),
      rng(1, -1),
      rng(1, 2 ** 32),
      rng(1, 2 ** 32 + 1),
      rng(2),
      rng(0),
      rng(1 + 2 ** 32),
      rng(2 ** 53 - 1),
      rng(1, 'a', 'b', 'c', 'd'),
      rng(1, 'a', 'b', 'c', 'de'),
      rng(1, 'a', 'b', 'c', 'd', 'e'),
      rng(1, 'seat', 'left', 0),
      rng(1, 'seat', 'right', 0),
      rng(1, 'seat', 'left', 1),
    ];
    expect(new Set(places.map((dice) => some(dice).join())).size).toBe(places.length);
  });

  it('do not collide: 200,000 paths start with 200,000 different numbers', () => {
    const visited = new Set<string>();
    for (let seed = 0; seed < 1000; seed++)
      for (let step = 0; step < 100; step++)
        for (const dice of [rng(seed, 'step', step), rng(seed, 'seat', 'first', step)]) visited.add(`${dice.next()} ${dice.next()}`);
    expect(visited.size).toBe(200_000);
  });

  it('do not affect other streams', () => {
    const [a, b] = [rng(1, 'a'), rng(1, 'b')];
    const mixed = Array.from({ length: 20 }, (_, i) => [a.next(), i % 3 === 0 ? b.next() : 0]);
    expect(mixed.map(([first]) => first)).toEqual(some(rng(1, 'a'), 20));
  });
});

describe('[C5] random numbers of neighboring paths', () => {
  const neighbours: readonly (readonly [string, (i: number) => Rng])[] = [
    ['seeds', (i) => rng(i)],
    ['seeds at a path', (i) => rng(i, 'step', 3)],
    ['steps of an episode', (i) => rng(5, 'step', i)],
    ['turns of a seat', (i) => rng(5, 'seat', 'first', i)],
    ['seats by name', (i) => rng(5, 'seat', `p${i}`, 0)],
    ['seeds far up', (i) => rng(2 ** 53 - 1 - i)],
  ];

  it.each(neighbours)('%s: are uniform in the first number and in its high and low bits', (_, at) => {
    fair(tally(64, 20_000, (i) => Math.floor(at(i).next() * 64)));
    fair(tally(64, 20_000, (i) => at(i).int(2 ** 32) % 64));
    fair(tally(6, 20_000, (i) => at(i).int(6)));
  });

  it.each(neighbours)('%s: are independent in pairs', (_, at) => {
    fair(tally(256, 40_000, (i) => Math.floor(at(i).next() * 16) * 16 + Math.floor(at(i + 1).next() * 16)));
    fair(tally(64, 20_000, (i) => at(i).int(8) * 8 + at(i + 1).int(8)));
  });

  it.each(neighbours)('%s: differ in each bit half of the time', (_, at) => {
    const flips = new Array<number>(32).fill(0);
    const draws = 10_000;
    for (let i = 0; i < draws; i++) {
      const changed = at(i).int(2 ** 32) ^ at(i + 1).int(2 ** 32);
      for (let bit = 0; bit < 32; bit++) flips[bit]! += (changed >>> bit) & 1;
    }
    for (const flip of flips) expect(Math.abs(flip - draws / 2)).toBeLessThan(4.5 * Math.sqrt(draws / 4));
  });

  it('are distinguished by the tests from a generator with related seeds (control)', () => {
    const related = (i: number) => ((i * 16_807) % 2_147_483_647) / 2_147_483_647;
    const counts = tally(256, 40_000, (i) => Math.floor(related(i) * 16) * 16 + Math.floor(related(i + 1) * 16));
    expect(chiSquare(counts)).toBeGreaterThan(10 * critical(255));
  });

  it('are independent in triples within a stream', () => {
    const dice = rng(11, 'serial');
    fair(tally(512, 50_000, () => dice.int(8) * 64 + dice.int(8) * 8 + dice.int(8)));
  });
});

describe('[C6] a random number generator', () => {
  it('next is in [0, 1) with the mean and variance of a uniform number', () => {
    const rolls = some(rng(1, 'next'), 20_000);
    expect(Math.min(...rolls)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...rolls)).toBeLessThan(1);
    const mean = rolls.reduce((sum, roll) => sum + roll, 0) / rolls.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(4 / Math.sqrt(12 * rolls.length));
  });

  it.each([1, 2, 3, 6, 7, 52, 1000])('int(%i) is uniform', (n) => {
    const dice = rng(2, 'int');
    const counts = tally(n, 60 * n + 5000, () => dice.int(n));
    if (n > 1) fair(counts);
    else expect(counts).toEqual([5060]);
  });

  it('int is unbiased even if 2^32 is far from a multiple', () => {
    const dice = rng(3, 'bias');
    const third = tally(3, 30_000, () => Math.floor(dice.int(3 * 2 ** 30) / 2 ** 30));
    fair(third);
    // What the remainder alone would give: the lowest quarter rolled again onto the lowest third, twice as likely as the others.
    const biased = tally(3, 30_000, () => Math.floor((dice.int(2 ** 32) % (3 * 2 ** 30)) / 2 ** 30));
    expect(chiSquare(biased)).toBeGreaterThan(100 * critical(2));
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 32 + 1])('int(%s) is rejected', (n) => {
    expect(() => rng(1).int(n)).toThrow(RangeError);
  });

  it('pick chooses each element equally often and rejects an empty list', () => {
    const dice = rng(4, 'pick');
    const items = ['a', 'b', 'c', 'd', 'e'];
    fair(tally(5, 10_000, () => items.indexOf(dice.pick(items))));
    expect(() => dice.pick([])).toThrow(/at least one item, but the list is empty\./);
  });

  it('shuffle gives each of the 24 orders of four elements equally often and leaves its input unchanged', () => {
    const dice = rng(5, 'shuffle');
    const items = Object.freeze([0, 1, 2, 3]);
    const orders = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = dice.shuffle(items).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(24);
    fair([...orders.values()]);
    expect(dice.shuffle([])).toEqual([]);
  });

  it('shuffle is also fair over neighboring seeds', () => {
    const orders = new Map<string, number>();
    for (let seed = 0; seed < 12_000; seed++) {
      const order = rng(seed, 'start').shuffle([0, 1, 2, 3]).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    fair([...orders.values()]);
  });

  it('weighted draws in proportion to the weights and never picks a weight of 0', () => {
    const dice = rng(6, 'weighted');
    const counts = tally(5, 80_000, () => dice.weighted([1, 0, 2, 5, 0]));
    expect([counts[1], counts[4]]).toEqual([0, 0]);
    const per = [counts[0]! / 1, counts[2]! / 2, counts[3]! / 5];
    for (const [i, weight] of [1, 2, 5].entries()) expect(Math.abs(per[i]! - 10_000)).toBeLessThan((4 * Math.sqrt(80_000)) / weight / 2);
    expect(dice.weighted([0, 0, 1e-300])).toBe(2);
  });

  it.each([[[]], [[0, 0]], [[-1, 2]], [[Number.NaN]], [[Infinity, 1]]])('weighted(%j) is rejected', (weights) => {
    expect(() => rng(1).weighted(weights)).toThrow(RangeError);
  });
});
