import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { CandidatePool } from './population.ts';

interface Bandit {
  readonly arms: readonly number[];
  readonly temperature: number;
  readonly tidy?: (population: CandidatePool, step: number) => void;
}

/** Four hundred rounds of thirty-two pulls; how likely each arm is to be chosen at the end, 0 for one that went. */
function bandit({ arms, temperature, tidy }: Bandit, seed: number): readonly number[] {
  const population = new CandidatePool({ temperature, rate: 0.1 });
  const start = arms.reduce((sum, mean) => sum + mean, 0) / arms.length;
  for (const arm of arms.keys()) population.add(`${arm}`, start);
  const dice = rng(seed, 'bandit');
  for (let step = 1; step <= 400; step++) {
    const earned = new Map<string, number[]>();
    for (let pull = 0; pull < 32; pull++) {
      const id = population.choose(dice);
      earned.set(id, [...(earned.get(id) ?? []), dice.next() < arms[Number(id)]! ? 1 : 0]);
    }
    for (const [id, rewards] of earned) population.earn(id, rewards);
    tidy?.(population, step);
  }
  const chances = population.chances();
  return arms.map((_, arm) => chances[population.ids.indexOf(`${arm}`)] ?? 0);
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const bandits = (newBandit: Bandit) => seeds.map((seed) => bandit(newBandit, seed));
const mean = (all: readonly (readonly number[])[], holds: (chances: readonly number[]) => number) =>
  all.reduce((sum, chances) => sum + holds(chances), 0) / all.length;
const share = (newBandit: Bandit, holds: (chances: readonly number[]) => number) => mean(bandits(newBandit), holds);
const last = (chances: readonly number[]) => chances.at(-1) as number;
const lives = (chances: readonly number[]) => (last(chances) > 0 ? 1 : 0);
const arms = [0.3, 0.35, 0.35, 0.4, 0.4, 0.45, 0.45, 0.6];
const halving = (every: number) => (population: CandidatePool, step: number) => {
  if (step % every === 0) population.halve();
};

describe('instruction population', () => {
  it('finds the best arm if the temperature is low compared with the spread', () => {
    for (const [temperature, expected] of [
      [1, 0.15],
      [0.3, 0.22],
      [0.1, 0.49],
      [0.05, 0.88],
    ] as const) {
      const best = share({ arms, temperature }, last);
      expect(Math.abs(best - expected)).toBeLessThan(0.06);
      if (temperature === 0.05) expect(best).toBeGreaterThan(0.8);
    }
  });

  it('finds it more reliably if the worse half is dropped', () => {
    for (const [temperature, expected] of [
      [1, 0.54],
      [0.3, 0.62],
      [0.1, 0.82],
      [0.05, 0.96],
    ] as const) {
      const all = bandits({ arms, temperature, tidy: halving(100) });
      expect(Math.abs(mean(all, last) - expected)).toBeLessThan(0.06);
      if (temperature !== 0.05) continue;
      expect(mean(all, last)).toBeGreaterThan(0.9);
      expect(mean(all, lives)).toBeGreaterThanOrEqual(0.94);
    }
  });

  it('rarely converges on equal arms', () => {
    const equals = arms.map(() => 0.45);
    const decided = (chances: readonly number[]) => (Math.max(...chances) > 0.5 ? 1 : 0);
    expect(share({ arms: equals, temperature: 0.1 }, decided)).toBe(0);
    expect(Math.abs(share({ arms: equals, temperature: 0.05 }, decided) - 0.2)).toBeLessThan(0.1);
  });

  it('keeps a slightly better arm more often if only significantly worse ones are dropped', () => {
    const close = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.55];
    const hasty = share({ arms: close, temperature: 0.05, tidy: halving(10) }, lives);
    const sure = share({ arms: close, temperature: 0.05, tidy: (population, step) => step % 10 === 0 && population.prune(1.96) }, lives);
    expect(hasty).toBeLessThan(0.65);
    expect(sure).toBeGreaterThan(hasty + 0.2);
  });

  it('starts new arms at the mean weight', () => {
    const population = new CandidatePool({ temperature: 1, rate: 0.5 });
    population.add('a', 0.2);
    population.add('b', 0.6);
    population.add('c');
    expect(population.weightOf('c')).toBeCloseTo(0.4, 12);
    population.earn('c', [1, 0]);
    expect(population.weightOf('c')).toBeCloseTo(0.45, 12);
    population.earn('nobody', [1]);
    expect(population.ranked()).toEqual(['b', 'c', 'a']);
  });
});
