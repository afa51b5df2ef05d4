/** @file One language model with one trunk learns several worlds at once: a shortened run in two cheap ones, against a player that never changes. */

import { describe, expect, it } from 'vitest';
import type { AnyEnvironment } from '../core/index.ts';
import { environment } from '../environments/index.ts';
import { hasRuntime } from '../learners/transformer/index.ts';
import { type LanguageRecipe, manyLm } from '../learning/languages.ts';
import { meet } from '../learning/meet.ts';
import { languageTraining } from './language.ts';
import { randomPolicy } from './rollouts.ts';

const short: LanguageRecipe = {
  ...manyLm,
  worlds: [
    { environment: 'kuhn-poker', task: {}, scale: 1 },
    { environment: 'dilemma', task: { rounds: 1 }, scale: 0.4 },
  ],
  warmUp: { games: 200, steps: 120, rate: 3e-3 },
  games: 80 * 96,
  batch: 96,
};

describe.skipIf(!hasRuntime())('one model in several worlds', () => {
  it('comes to be paid more in each of them', { timeout: 120_000 }, async () => {
    const { training, learner } = await languageTraining(short, { cwd: process.cwd(), seed: 1 });
    const paid = () =>
      Promise.all(
        short.worlds.map(async ({ environment: name, task }) => {
          const rules: AnyEnvironment = await environment(name);
          return meet({ environment: rules, task, mine: learner.policy(), theirs: randomPolicy, games: 300, seed: 7 });
        }),
      );
    await training.warmUp();
    const before = await paid();
    expect(await training.run()).toBeNull();
    const after = await paid();
    const gains = after.map(({ returned }, i) => returned - (before[i]?.returned ?? 0));
    expect(gains[0]).toBeGreaterThan(0.1);
    expect(gains[1]).toBeGreaterThan(0.3);
    for (const { invalid } of after) expect(invalid).toBeLessThan(0.05);
  });
});
