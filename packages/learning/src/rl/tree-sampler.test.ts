import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { leduc } from '@ludus-agents/environments/internal/leduc';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { type StrategyTable, TreeSampler } from './tree-sampler.ts';

const kuhn = flatten(gameTree(kuhnPoker, {}));

/** A policy without zeros, different at every decision. */
function someStrategy(choices: Int32Array): StrategyTable {
  const dice = rng(5, 'strategy');
  return Array.from(choices, (count) => {
    const weights = Array.from({ length: count }, () => 0.1 + dice.next());
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
}

/** The exact mean return of every choice to the seat that makes it, by walking the whole tree. */
function exactValues(game: typeof kuhn, strategy: StrategyTable): readonly (readonly number[])[] {
  const sums = strategy.map((chances) => Array.from(chances, () => 0));
  const weights = strategy.map(() => 0);
  const worthOf = (node: number, seat: number): number => {
    const set = game.setOf[node]!;
    if (set === -2) return game.returns[node * game.seats.length + seat]!;
    let value = 0;
    for (let at = game.first[node]!, before = 0; at < game.first[node + 1]!; at++) {
      const chance = set === -1 ? game.upTo[at]! - before : strategy[set]![at - game.first[node]!]!;
      before = game.upTo[at]!;
      value += chance * worthOf(game.children[at]!, seat);
    }
    return value;
  };
  const walk = (node: number, seat: number, reach: number): void => {
    const set = game.setOf[node]!;
    if (set === -2) return;
    const isMine = set >= 0 && game.seatOf[set] === seat;
    if (isMine) weights[set] = weights[set]! + reach;
    for (let at = game.first[node]!, before = 0; at < game.first[node + 1]!; at++) {
      const choice = at - game.first[node]!;
      const chance = set === -1 ? game.upTo[at]! - before : strategy[set]![choice]!;
      before = game.upTo[at]!;
      if (isMine) sums[set]![choice] = sums[set]![choice]! + reach * worthOf(game.children[at]!, seat);
      walk(game.children[at]!, seat, isMine ? reach : reach * chance);
    }
  };
  for (const seat of game.seats.keys()) walk(game.root, seat, 1);
  return sums.map((values, set) => values.map((value) => value / weights[set]!));
}

describe('TreeSampler', () => {
  it.each([0.99, null])('estimates every action value without bias, with and without control variates (decay %s)', (decay) => {
    const strategy = someStrategy(kuhn.choices);
    const sampler = new TreeSampler(kuhn, { explore: 0.3, decay });
    const { values, visits } = sampler.play(strategy, 400_000, rng(1, 'games'));
    const exact = exactValues(kuhn, strategy);
    for (const [set, expected] of exact.entries()) {
      expect(visits[set]).toBeGreaterThan(1000);
      for (const [choice, value] of expected.entries()) expect(values[sampler.offsets[set]! + choice]).toBeCloseTo(value, 1);
    }
  });

  it('has a third of the error with control variates', () => {
    const strategy = someStrategy(kuhn.choices);
    const exact = exactValues(kuhn, strategy);
    const errorOf = (decay: number | null) => {
      const sampler = new TreeSampler(kuhn, { explore: 0.3, decay });
      const dice = rng(2, 'games');
      if (decay !== null) sampler.play(strategy, 20_000, dice);
      let error = 0;
      for (let batch = 0; batch < 200; batch++) {
        const { values, visits } = sampler.play(strategy, 120, dice);
        for (const [set, expected] of exact.entries())
          if (visits[set]! > 0)
            for (const [choice, value] of expected.entries()) error += (values[sampler.offsets[set]! + choice]! - value) ** 2;
      }
      return error;
    };
    expect(errorOf(0.99)).toBeLessThan(errorOf(null) / 3);
  });

  it('can be saved and resumed', () => {
    const strategy = someStrategy(kuhn.choices);
    const [first, second] = [0, 1].map(() => new TreeSampler(kuhn, { explore: 0.3, decay: 0.9 }));
    first!.play(strategy, 1000, rng(3, 'games'));
    second!.read(JSON.parse(JSON.stringify(first!.write())));
    const next = [first!, second!].map((sampler) => [...sampler.play(strategy, 100, rng(4, 'games')).values]);
    expect(next[0]).toEqual(next[1]);
  });

  it('finds all 936 decisions of Leduc poker', () => {
    expect(flatten(gameTree(leduc, {})).choices).toHaveLength(936);
  });
});
