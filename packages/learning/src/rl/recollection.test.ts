/** @file The replay slot: where a whole group fails, its own task's success is served, and no other's. */

import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { Advantages } from './advantage.ts';
import { builtInRecipe } from './recipes/index.ts';
import { Recollection } from './recollection.ts';
import type { EpisodeSample } from './samples.ts';

const episode = (prompt: number, key: string, returned: number): EpisodeSample => ({
  ...{ environment: 'desk@3', seat: 'clerk', prompt, game: prompt, key, returned, invalid: 0, truncated: false },
  turns: [{ read: [0], written: [1], logprobs: [-1], reward: returned, penalty: 0, at: 0 }],
});
const group = (prompt: number, key: string, returns: readonly number[]) => returns.map((value) => episode(prompt, key, value));
const fails = [0, 0, 0, 0, 0, 0, 0, 0];

function memoryOf(name: string) {
  const recipe = builtInRecipe(name);
  return { recipe, memory: new Recollection(recipe, { learner: new Tabular(), seed: 1, seats: ['clerk'] }) };
}

describe('success replay', () => {
  it('adds one success to eight failures of its task, with the expected advantages', () => {
    const { recipe, memory } = memoryOf('arpo-gui');
    memory.injected(group(0, 'deal 1', [1, 0, 0, 0, 0, 0, 0, 0]), 0);
    const filled = memory.injected(group(0, 'deal 1', fails), 1);
    expect(filled.map(({ returned }) => returned).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    const advantages = new Advantages(recipe).of(filled).map((list) => Number(list[0]));
    expect(Math.max(...advantages)).toBeCloseTo(2.4749, 3);
    expect(Math.min(...advantages)).toBeCloseTo(-0.3536, 3);
  });

  it('never serves another task or a group with a success', () => {
    const { memory } = memoryOf('arpo-gui');
    memory.injected(group(0, 'deal 1', [1, 0, 0, 0, 0, 0, 0, 0]), 0);
    expect(memory.injected(group(0, 'deal 2', fails), 1)).toEqual(group(0, 'deal 2', fails));
    const mixed = group(0, 'deal 1', [1, 0, 0, 0, 0, 0, 0, 0]);
    expect(memory.injected(mixed, 2)).toEqual(mixed);
  });

  it('is off in recipes without replay', () => {
    const { memory } = memoryOf('grpo');
    memory.injected(group(0, 'deal 1', [1, 0]), 0);
    expect(memory.injected(group(0, 'deal 1', [0, 0]), 1)).toEqual(group(0, 'deal 1', [0, 0]));
  });

  it('is weighted in rapo by the share of groups without a lesson, but not in arpo-gui', () => {
    const batch = [...group(0, 'a', [1, 0]), ...group(1, 'b', [0, 0]), ...group(2, 'c', [1, 1]), ...group(3, 'd', [0, 0])];
    const plain = batch.map(() => [0.5]);
    // One group of four teaches.
    expect(
      memoryOf('rapo')
        .memory.scaled(batch, plain)
        .map((list) => list[0]),
    ).toEqual(batch.map(() => 2));
    expect(memoryOf('arpo-gui').memory.scaled(batch, plain)).toBe(plain);
  });
});
