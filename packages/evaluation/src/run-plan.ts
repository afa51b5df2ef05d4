/** @file Plays a plan into a store. A stored episode is reused if nothing that decides it has changed. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AnyEnvironment, Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { loadPlanTasks, runId } from '@ludus-agents/kernel/internal/engine/plan';
import { type RunOptions, type RunReport, run as runPlan } from '@ludus-agents/kernel/internal/engine/run';
import type { FingerprintPlace } from './fingerprint.ts';
import type { PlanVersions } from './plan-versions.ts';

/** How a plan is played, and where the files that it names are. */
export interface RunPlanOptions extends RunOptions {
  /** The folder in which files are looked up; that of the process without it. */
  readonly cwd?: string | undefined;
}

/**
 * Plays what is missing of a plan, and what has changed since it was played. Throws only for input that cannot be played at all; what goes
 * wrong in an episode is in its log. What exists in memory alone cannot be fingerprinted: it is played again every time, unless `reuse` is true.
 */
export async function run(plan: Plan, { cwd = process.cwd(), ...options }: RunPlanOptions, trust: Trust): Promise<RunReport> {
  const versions = options.versions ?? (await openRunVersions(plan, { ...options, cwd, trust, isLenient: true })).of;
  return runPlan(plan, { ...options, versions });
}

export interface RunVersionsOptions extends FingerprintPlace {
  readonly store: Store;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  readonly reuse?: boolean | undefined;
}

/** Stores the run of a plan, and notes in it the fingerprints of what is about to play. */
export async function openRunVersions(plan: Plan, { environment, ...options }: RunVersionsOptions): Promise<PlanVersions> {
  const id = runId(plan);
  const sheet = await loadPlanTasks(plan, environment);
  await options.store.putRun({ id, plan, episodes: sheet.planned });
  // Loaded when it is used: it knows every kind of agent.
  const { openVersions } = await import('./plan-versions.ts');
  return openVersions([{ plan, sheet }], { ...options, run: id, exclusive: 'plan' });
}
