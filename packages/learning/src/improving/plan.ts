/** @file The plays of an improvement, as plans: to estimate its cost in advance, and to check whether its budget can be enforced. */

import { modelsOfSpec } from '@ludus-agents/agents/internal/kind-rules';
import { requirePrices } from '@ludus-agents/evaluation/internal/estimate';
import { castsOf } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type { Plan, RunRecord } from '@ludus-agents/kernel/internal/core/index';
import { type ImproveWork, workOf } from './improve.ts';
import { isModelName } from './targets.ts';

/** The maximum number of plays: the engine and both baselines, then all three on fresh tasks. Without a limit on calls, the minimum. */
export function mostPlays(run: RunRecord): number {
  const { budget, tasks } = workOf(run);
  return 3 * (budget.calls ?? tasks.select) + 3 * tasks.report;
}

/** The plan of each scene of a suite, with its share of the plays; empty for recipes, which need no model. */
export function planImprovement(run: RunRecord): readonly Plan[] {
  const { suite, start } = workOf(run);
  if (suite === undefined) return [];
  const each = mostPlays(run) / suite.scenes.length;
  return suite.scenes.map((scene) => ({
    environments: [{ environment: scene.environment, tasks: scene.tasks }],
    seeds: { from: 0, count: Math.max(1, Math.ceil(each / scene.tasks.length)) },
    // Candidates take one tested seat at a time.
    casts: castsOf({ ...scene, seats: scene.seats.slice(0, 1) }, [start]),
  }));
}

/** Refuses a money budget if the price of a model is unknown, before any call. */
export async function checkPrices(run: RunRecord, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const work = workOf(run);
  await requirePrices(modelsOf(work, run), work.budget.money, env);
}

/** Every model named by the players, the choices and the proposer. */
function modelsOf({ start, suite, proposer, choices = {}, model }: ImproveWork, { plan }: RunRecord): readonly string[] {
  const casts = suite === undefined ? plan.casts : suite.scenes.flatMap((scene) => castsOf(scene, [start]));
  const tried = (choices['model'] ?? []).filter((item) => typeof item === 'string');
  const graders = (suite?.scenes ?? []).flatMap(({ score }) => (score.startsWith('grader=') ? [score.slice('grader='.length)] : []));
  const writers = proposer === 'model' ? [model ?? start.model ?? ''] : isModelName(proposer) ? [proposer] : [];
  return [
    ...new Set([
      ...modelsOfSpec(start),
      ...casts.flatMap((cast) => Object.values(cast).flatMap(modelsOfSpec)),
      ...tried,
      ...writers,
      ...graders,
    ]),
  ].filter((name) => name !== '');
}
