/** @file One language model with one trunk learns several worlds at once: a shortened run in two cheap ones, against players that never change. */

import { describe, expect, it } from 'vitest';
import type { AnyEnvironment } from '../core/index.ts';
import { environment } from '../environments/index.ts';
import { hasRuntime } from '../learners/transformer/index.ts';
import { type LanguageRecipe, manyLm } from '../learning/languages.ts';
import { type Met, meet } from '../learning/meet.ts';
import { languageTraining } from './language.ts';
import { opponentBy } from './rollouts.ts';

const short: LanguageRecipe = {
  ...manyLm,
  worlds: [
    { environment: 'kuhn-poker', task: {}, scale: 1 },
    { environment: 'dilemma', task: { rounds: 1 }, scale: 0.4 },
  ],
  sizes: { ...manyLm.sizes, width: 32 },
  warmUp: { ...manyLm.warmUp, games: 400, steps: 300, rows: 64 },
  games: 200 * 96,
  batch: 96,
};

/** Players that never change, and the least that is to be gained against them. */
const anchors = [
  { world: 'kuhn-poker', task: {}, anchor: 'equilibrium', games: 2000, least: 0.05 },
  { world: 'kuhn-poker', task: {}, anchor: 'random', games: 2000, least: 0.05 },
  { world: 'dilemma', task: { rounds: 1 }, anchor: 'random', games: 300, least: 0.3 },
];

describe.skipIf(!hasRuntime())('one model in several worlds', () => {
  it('comes to be paid more in each of them', { timeout: 120_000 }, async () => {
    const { training, learner } = await languageTraining(short, { cwd: process.cwd(), seed: 1 });
    const paid = () =>
      Promise.all(
        anchors.map(async ({ world, task, anchor, games }) => {
          const rules: AnyEnvironment = await environment(world);
          return meet({ environment: rules, task, mine: learner.policy(), theirs: opponentBy(anchor, rules), games, seed: 7 });
        }),
      );
    await training.warmUp();
    const before = await paid();
    expect(await training.run()).toBeNull();
    const after = await paid();
    for (const [i, { least }] of anchors.entries()) {
      const [first, last] = [before[i], after[i]] as [Met, Met];
      expect(last.returned - first.returned).toBeGreaterThan(least);
      expect(last.invalid).toBeLessThan(0.02);
    }
  });
});
