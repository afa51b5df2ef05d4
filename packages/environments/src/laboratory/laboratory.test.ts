/** @file The laboratory grounds pay what they say, for the right moves and for no others. */

import { type Agent, type AnyEnvironment, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { environmentGroup, environmentNames } from '../built-in.ts';
import { solve } from '../solve/index.ts';
import { comb } from './comb.ts';
import { ladder } from './ladder.ts';
import { products } from './products.ts';
import { stairs } from './stairs.ts';
import { sums } from './sums.ts';

async function returnOf(environment: AnyEnvironment, script: Agent, task: Json, seed: number): Promise<number> {
  const [seat = ''] = environment.seats(environment.task(task));
  for await (const event of play(environment, { [seat]: script }, { seed, task }))
    if (event.kind === 'end') return event.returns[seat] ?? 0;
  return Number.NaN;
}

const chooses = (index: number) => scripted('fixed', ({ ask }) => ({ text: ask.choices![index]! }));

describe('the laboratory', () => {
  it('is a group of built-in environments', () => {
    expect(environmentNames().filter((name) => environmentGroup(name) === 'laboratory')).toEqual([
      'comb',
      'stairs',
      'ladder',
      'sums',
      'products',
    ]);
  });

  it('comb: chance finds all right choices once in ways to the power of choices', () => {
    const { uniform, value } = solve(comb, { turns: 6, every: 3, ways: 4 });
    expect(value).toBeCloseTo(1, 9);
    expect(uniform.value).toBeCloseTo(1 / 16, 9);
    expect(solve(comb, { turns: 6, every: 3, ways: 4, partial: true }).uniform.value).toBeCloseTo(1 / 4, 9);
  });

  it('products: the oracle is always right, and a guesser where there is nothing to multiply', async () => {
    const [oracle, guesser, expert] = ['oracle', 'guesser', 'expert'].map((name) => scripted(name, products.scripts![name]!));
    for (let seed = 0; seed < 8; seed++) {
      expect(await returnOf(products, oracle!, {}, seed)).toBe(1);
      expect(await returnOf(products, guesser!, { hard: 0 }, seed)).toBe(1);
      // Without a tool it has to guess too.
      expect(await returnOf(products, expert!, { hard: 1 }, seed)).toBe(0);
    }
  });

  it('stairs: leaving pays the exit, and one of two doors leads to the top', async () => {
    expect(await returnOf(stairs, scripted('leaver', stairs.scripts!['leaver']!), {}, 1)).toBeCloseTo(0.1, 9);
    const task = { floors: 1, doors: 2, trap: 1, exit: 0 };
    const paid = await Promise.all([0, 1].map((door) => returnOf(stairs, chooses(door), task, 1)));
    expect(paid.sort()).toEqual([0, 1]);
  });

  it('ladder: every third one cannot be climbed unless that is switched off', async () => {
    const sumsOver = async (task: Json) => {
      const paid = await Promise.all(
        Array.from({ length: 30 }, async (_, seed) => {
          const [left = 0, right = 0] = await Promise.all([0, 1].map((hold) => returnOf(ladder, chooses(hold), task, seed)));
          return left + right;
        }),
      );
      return new Set(paid);
    };
    expect(await sumsOver({ pool: 3, rungs: 1, holds: 2 })).toEqual(new Set([0, 1]));
    expect(await sumsOver({ pool: 3, rungs: 1, holds: 2, impossible: false })).toEqual(new Set([1]));
  });

  it('sums: the adder is right, and one who forgets carries is right only where there are none', async () => {
    const [adder, careless] = ['adder', 'careless'].map((name) => scripted(name, sums.scripts![name]!));
    for (let seed = 0; seed < 20; seed++) expect(await returnOf(sums, adder!, { digits: 4 }, seed)).toBe(1);
    for (let seed = 0; seed < 20; seed++) expect(await returnOf(sums, careless!, { digits: 4, carries: false }, seed)).toBe(1);
    const slips = await Promise.all(Array.from({ length: 20 }, (_, seed) => returnOf(sums, careless!, { digits: 4 }, seed)));
    expect(slips.filter((paid) => paid === 0).length).toBeGreaterThan(10);
  });
});
