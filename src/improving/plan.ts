/** @file What an improvement plays, as plans: for an estimate of what it takes before it begins. */

import type { Plan, RunRecord } from '../core/index.ts';
import { castsOf } from '../scoring/suites/index.ts';
import { workOf } from './improve.ts';

/** Plays at most: the engine and both baselines, then all three on fresh tasks. Without a number of calls, the least that it takes. */
export function mostPlays(run: RunRecord): number {
  const { budget, tasks } = workOf(run);
  return 3 * (budget.calls ?? tasks.select) + 3 * tasks.report;
}

/** The plan of each scene of a suite, with its share of the plays; none for recipes, which need no model. */
export function planImprovement(run: RunRecord): readonly Plan[] {
  const { suite, start } = workOf(run);
  if (suite === undefined) return [];
  const each = mostPlays(run) / suite.scenes.length;
  return suite.scenes.map((scene) => ({
    environments: [{ environment: scene.environment, tasks: scene.tasks }],
    seeds: { from: 0, count: Math.max(1, Math.ceil(each / scene.tasks.length)) },
    // Candidates take one tested place at a time.
    casts: castsOf({ ...scene, seats: scene.seats.slice(0, 1) }, [start]),
  }));
}
