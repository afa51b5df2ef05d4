/** @file Turns a plan into jobs: one for every missing episode, with all casts of a seed in one group, so they are played together. */

import { modelsOfSpec } from '@ludus-agents/agents/internal/kind-rules';
import type { AnyEnvironment, Budget, Cast, Json, Lot, NewJob, Plan } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/index';
import { cells, loadPlanTasks, openId, runId, type VersionsOf } from '@ludus-agents/kernel/internal/engine/plan';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';
import { version } from '@ludus-agents/store/internal/version';

export interface OfferOptions {
  readonly sharedStore: SharedStore;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  readonly budget?: Budget | undefined;
  /** Play episodes that ended in an error again. */
  readonly retry?: boolean | undefined;
  readonly priority?: number | undefined;
  /** Fingerprints of the players; see `RunOptions`. */
  readonly versions?: VersionsOf | undefined;
  readonly reuse?: boolean | undefined;
}

export interface Offered {
  readonly run: string;
  readonly planned: number;
  /** Previously finished episodes. */
  readonly before: number;
  /** Episodes that are queued or being played. */
  readonly offered: number;
  /** Omitted because the budget limits the number of episodes. */
  readonly left: number;
}

/** Content of an episode job: the seed, the cast of its lot, and whether its log has begun. */
export type EpisodePayload = { readonly seed: number; readonly cast: number; readonly begun?: true };

/** Larger groups are split, because one worker plays a whole group. */
const largestGroup = 64;

/** Puts the episodes of a plan into the queue of a shared store. */
export async function enqueuePlan(plan: Plan, options: OfferOptions): Promise<Offered> {
  const { store, jobs, ledger } = options.sharedStore;
  const run = runId(plan);
  const sheet = await loadPlanTasks(plan, options.environment);
  await store.putRun({ id: run, plan, episodes: sheet.planned });
  await ledger.open(run, { ...plan.budget, ...options.budget });
  const statuses = await store.statuses(run);
  const most = options.budget?.episodes ?? plan.budget?.episodes ?? Number.POSITIVE_INFINITY;
  const count = { offered: 0, before: 0, left: 0 };
  for (const scene of sheet.scenes) {
    const lot = lotOf(plan, scene, { environmentName: sheet.names.get(scene.environment.id) as string, versionsOf: options.versions });
    const places = new Map(scene.casts.map((cast, i) => [cast, i]));
    const newJobs: NewJob[] = [];
    for (const cell of cells(plan, { ...sheet, scenes: [scene] }, options.versions)) {
      const id = openId(run, cell, statuses, options);
      if (id === null) count.before++;
      else if (count.offered + newJobs.length >= most) count.left++;
      else {
        const begun = statuses.has(id) ? ({ begun: true } as const) : {};
        const payload: EpisodePayload = { seed: cell.seed, cast: places.get(cell.cast) as number, ...begun };
        const group = scene.casts.length > 1 && scene.casts.length <= largestGroup ? `${lot.id}/${cell.seed}` : undefined;
        newJobs.push({ id, kind: 'episode', payload, ...(group !== undefined && { group }), ...priorityOf(options) });
      }
    }
    count.offered += newJobs.length;
    if (newJobs.length > 0) await jobs.offer(lot, newJobs);
  }
  return { run, planned: sheet.planned, ...count };
}

function priorityOf({ priority }: OfferOptions): { priority?: number } {
  return priority === undefined ? {} : { priority };
}

interface Scene {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  readonly casts: readonly Cast[];
}

function lotOf(
  plan: Plan,
  { environment, task, casts }: Scene,
  { environmentName, versionsOf }: { readonly environmentName: string; readonly versionsOf: VersionsOf | undefined },
): Lot {
  const run = runId(plan);
  const scene = {
    run,
    environmentName,
    environment: environment.id,
    task,
    casts,
    ...(versionsOf !== undefined && { versions: casts.map((cast) => versionsOf(environment.id, cast)) }),
    ...(plan.limits !== undefined && { limits: plan.limits }),
  };
  const models = [...new Set(casts.flatMap((cast) => Object.values(cast).flatMap(modelsOfSpec)))].sort();
  return { id: hash([scene, version]).slice(0, 20), ...scene, models, version };
}
