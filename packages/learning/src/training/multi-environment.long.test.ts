/** @file One language model with one trunk learns several worlds at once: a shortened run in two cheap ones, against players that never change. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { hasRuntime } from '../learners/transformer/index.ts';
import { type Met, playMatchup } from '../rl/matchup.ts';
import { trainerOf, twoEnvironments } from './multi-environment.cases.ts';
import { opponentBy } from './seat-policies.ts';

/** Players that never change, and the least that is to be gained against them. */
const anchors = [
  { world: 'kuhn-poker', task: {}, anchor: 'equilibrium', games: 2000, least: 0.05 },
  { world: 'kuhn-poker', task: {}, anchor: 'random', games: 2000, least: 0.05 },
  { world: 'dilemma', task: { rounds: 1 }, anchor: 'random', games: 300, least: 0.3 },
];

describe.skipIf(!hasRuntime())('training one model in several environments', () => {
  it('increases its return in each of them', async () => {
    const training = await trainerOf(twoEnvironments);
    const { learner } = training;
    const paid = () =>
      Promise.all(
        anchors.map(async ({ world: environment, task, anchor, games }) => {
          const rules: AnyEnvironment = await builtInEnvironment(environment);
          return playMatchup({ environment: rules, task, mine: learner.policy(), theirs: opponentBy(anchor, rules), games, seed: 7 });
        }),
      );
    await training.begin();
    const before = await paid();
    expect(await training.run(training.updates)).toBeNull();
    const after = await paid();
    for (const [i, { least }] of anchors.entries()) {
      const [first, last] = [before[i], after[i]] as [Met, Met];
      expect(last.returned - first.returned).toBeGreaterThan(least);
      expect(last.invalid).toBeLessThan(0.02);
    }
  });
});
