import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { outcomes } from './chance.ts';

const tally = (run: (dice: Rng) => string) => {
  const chances: Record<string, number> = {};
  for (const { chance, value } of outcomes(run)) chances[value] = (chances[value] ?? 0) + chance;
  return chances;
};

describe('outcomes', () => {
  it('of a function without random calls are one certain value', () => {
    expect([...outcomes(() => 'still')]).toEqual([{ chance: 1, value: 'still' }]);
  });

  it('of int and pick are equally likely', () => {
    expect([...outcomes((dice) => dice.int(4))].map(({ value }) => value)).toEqual([0, 1, 2, 3]);
    expect(tally((dice) => dice.pick(['a', 'b', 'c', 'a']))).toEqual({ a: 0.5, b: 0.25, c: 0.25 });
    expect([...outcomes((dice) => dice.int(1))]).toEqual([{ chance: 1, value: 0 }]);
  });

  it('of a range with millions of values are rejected without using memory', () => {
    for (const faces of [1_000_001, 2 ** 31, 2 ** 32]) expect(() => [...outcomes((dice) => dice.int(faces))]).toThrow(/cannot be listed/);
  });

  it('of shuffle are all orders, once each', () => {
    const orders = [...outcomes((dice) => dice.shuffle([1, 2, 3, 4]).join(''))];
    expect(orders).toHaveLength(24);
    expect(new Set(orders.map(({ value }) => value)).size).toBe(24);
    for (const { chance } of orders) expect(chance).toBeCloseTo(1 / 24, 15);
  });

  it('of weighted follow the weights and skip zero weights', () => {
    expect([...outcomes((dice) => dice.weighted([0, 3, 0, 1, 0]))]).toEqual([
      { chance: 0.75, value: 1 },
      { chance: 0.25, value: 3 },
    ]);
  });

  it('of nested random calls match sampled frequencies', () => {
    const run = (dice: Rng) => {
      const first = dice.int(3);
      if (first === 0) return 'none';
      return first === 1 ? `pick ${dice.pick(['x', 'y'])}` : `order ${dice.shuffle(['p', 'q', 'r']).join('')}${dice.weighted([1, 2])}`;
    };
    const chances = tally(run);
    expect(Object.values(chances).reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 12);
    expect(Object.keys(chances)).toHaveLength(1 + 2 + 12);
    const rolls = 30_000;
    const observation: Record<string, number> = {};
    for (let seed = 0; seed < rolls; seed++) {
      const value = run(rng(seed, 'outcomes'));
      observation[value] = (observation[value] ?? 0) + 1;
    }
    for (const [value, chance] of Object.entries(chances))
      expect(Math.abs((observation[value] ?? 0) - rolls * chance), value).toBeLessThan(4.5 * Math.sqrt(rolls * chance * (1 - chance)));
  });

  it('are lazy, so that a deck of sixty can be shuffled', () => {
    const deck = Array.from({ length: 60 }, (_, i) => i);
    expect(outcomes((dice) => dice.shuffle(deck)).next().value?.value).toHaveLength(60);
  });

  it('of next are rejected as too many', () => {
    expect(() => [...outcomes((dice) => dice.next())]).toThrow(/Exact solving lists every random outcome, and next\(\) has/);
  });

  it('reject a function that draws until it gets a certain value', () => {
    const stubborn = (dice: Rng) => {
      while (dice.int(2) === 0);
    };
    expect(() => [...outcomes(stubborn)]).toThrow(/One step makes more than/);
  });
});
