/** @file `run`: plays a plan and returns its results, or its estimated cost. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { noteNames } from '@ludus-agents/agents/internal/workspace/agent-names';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { withOwnAgents } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { currentRecords } from '@ludus-agents/evaluation/internal/current-versions';
import { type CostEstimate, callsModels, estimatePlan } from '@ludus-agents/evaluation/internal/estimate';
import { planVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { type RunResults, resultsOf } from '@ludus-agents/evaluation/internal/results';
import { type RunPlanOptions, run as runPlan } from '@ludus-agents/evaluation/internal/run-plan';
import { fileSource } from '@ludus-agents/evaluation/internal/source-notes';
import type { AnyEnvironment, Budget, Cast, EpisodeRecord, Json, Plan, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { cells, loadPlanTasks, openId, type PlanTasks, readPlan, runId, type VersionsOf } from '@ludus-agents/kernel/internal/engine/plan';
import type { RunProgress, RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import '@ludus-agents/servers/internal/kinds';
import { type Runner, withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { storeExists } from '@ludus-agents/store/internal/stores';
import type { AgentRef, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { environmentName, findDocument, placeOf, programTrust, readStore, specOf } from './refs.ts';

/** A plan whose environments and agents may be objects in memory. */
export interface PlanRequest {
  readonly name?: string;
  readonly environments: readonly (Ref<AnyEnvironment> | { readonly environment: Ref<AnyEnvironment>; readonly tasks?: readonly Json[] })[];
  /** The number of seeds per task, or the seeds themselves. */
  readonly seeds: number | readonly (number | string)[];
  /** The agents by seat; "*" is every other seat. */
  readonly casts: readonly Readonly<Record<string, AgentRef>>[];
  /** Also play each cast with exchanged seats. */
  readonly swap?: boolean;
  readonly limits?: Plan['limits'];
  readonly budget?: Plan['budget'];
}

/** The settings of a run. Without a store, episodes stay in memory until the call returns. */
export type RunRequest = Partial<RunPlanOptions>;

/** What was played, and the mean of every seat and agent with its interval. */
export interface RunOutcome extends RunReport {
  readonly results: RunResults;
}

export async function run(request: Plan | PlanRequest, options: RunRequest): Promise<RunOutcome> {
  const { cwd = process.cwd(), store = memoryStore(), ...rest } = options;
  const trust = programTrust(cwd);
  const plan = await withOwnAgents(readPlan(planJson(request)), cwd, trust);
  const report = await runPlan(
    plan,
    {
      environment: (name) => resolveEnvironment(name, cwd, trust),
      agent: createAgentLoader(createAgentServices(cwd, trust)),
      ...rest,
      cwd,
      store,
    },
    trust,
  );
  return { ...report, results: await resultsOf((await store.run(report.run))!, { store, cwd, trust }) };
}

/** What `run` of `commands` takes. */
export interface PlannedRunRequest extends StoreCallOptions {
  /** A plan, or its file. */
  readonly plan: Ref<Plan | PlanRequest>;
  readonly concurrency?: number | undefined;
  /** Limits in addition to the plan's. */
  readonly budget?: Budget | undefined;
  /** Play failed episodes again. */
  readonly retry?: boolean | undefined;
  /** Use stored episodes of agents that cannot be fingerprinted. */
  readonly reuse?: boolean | undefined;
  /** Only estimate the cost of the plan. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Called before anything is played; false stops. */
  readonly confirm?: ((work: PlannedWork) => Promise<boolean>) | undefined;
}

/** The episodes to be played. */
export interface PlannedWork {
  readonly run: string;
  readonly environments: readonly string[];
  readonly planned: number;
  /** Episodes that an earlier run has finished. */
  readonly ended: number;
  /** The expected usage of models; null if none is called. */
  readonly estimate: CostEstimate | null;
  readonly budget: Budget;
  /** Changes since the run was last played. */
  readonly changes: readonly VersionChange[];
}

/** The results of the played episodes, or the plan's estimated cost. */
export type PlannedRun =
  | (RunOutcome & {
      readonly kind: 'played';
      /** Stored episodes with other seeds than the plan's, which the figures include. */
      readonly otherSeeds: number;
      readonly changes: readonly VersionChange[];
      /** Agents that cannot be fingerprinted, and why: their episodes are played again next time. */
      readonly unpinned: Readonly<Record<string, string>>;
    })
  | (CostEstimate & { readonly kind: 'estimate'; readonly run: string; readonly budget: Budget | null });

/** Plays a plan into a store; repeating the call plays missing episodes. Null if `confirm` returned false. */
export async function runPlanned(
  request: PlannedRunRequest,
  place: CallPlace = placeOf(request),
  runner: PlanRunner = planRunner(request, place),
): Promise<PlannedRun | null> {
  const { cwd, trust, env } = place;
  const { concurrency, retry, reuse, onProgress, signal, budget = {} } = request;
  const where = typeof request.plan !== 'string' ? 'The plan' : `The plan ${request.plan === '-' ? 'from standard input' : request.plan}`;
  const document = typeof request.plan === 'string' ? await findDocument(request.plan, place, 'The plan') : planJson(request.plan);
  const plan = await withOwnAgents(readPlan(document, where), cwd, trust);
  const environment = (name: string) => resolveEnvironment(name, cwd, trust);
  const sheet = await loadPlanTasks(plan, environment);
  const run = runId(plan);
  const sources = fileSource(request.plan);
  const estimateIn = (store: Store | null, ended: number) =>
    estimatePlan(plan, sheet, {
      store,
      env,
      ended,
      agents: createAgentServices(cwd, Trust.planFile),
      ...(signal !== undefined && { signal }),
    });
  if (request.dryRun === true) {
    // An estimate needs no store, and creates none.
    const isStored = typeof request.store === 'object' || storeExists(place, request.store === undefined ? {} : { store: request.store });
    const estimate = !isStored
      ? await estimateIn(null, 0)
      : await readStore(request, place, async (store) => {
          const versions = await planVersions([{ plan, sheet }], { store, run, cwd, trust, reuse, exclusive: 'plan', sources });
          const statuses = await store.statuses(run);
          return estimateIn(store, countEnded(plan, { sheet, run, of: versions.of, statuses, retry, reuse }).ended);
        });
    return { kind: 'estimate', run, ...estimate, budget: plan.budget ?? null };
  }
  await checkCasts(sheet, place);
  return runner(async (store, perform) => {
    const versions = await planVersions([{ plan, sheet }], { store, run, cwd, trust, reuse, exclusive: 'plan', sources });
    const { ended, seeds } = countEnded(plan, { sheet, run, of: versions.of, statuses: await store.statuses(run), retry, reuse });
    const work = {
      ...{ run, environments: [...sheet.environments.keys()], planned: sheet.planned, ended, changes: versions.changes },
      ...{ estimate: callsModels(sheet) ? await estimateIn(store, ended) : null, budget: { ...plan.budget, ...budget } },
    };
    if ((await request.confirm?.(work)) === false) return null;
    await store.putRun({ id: run, plan, episodes: sheet.planned });
    await noteNames(store, run, plan);
    await versions.declare();
    const services = createAgentServices(cwd, trust, typeof request.store === 'string' ? { store: request.store } : {});
    const report = await perform(plan, {
      ...{ store, environment, agent: createAgentLoader(services), budget, retry: retry === true, versions: versions.of, reuse },
      ...{ ...(signal && { signal }), ...(onProgress && { onProgress }), ...(concurrency !== undefined && { concurrency }) },
    });
    const mixed = report.played > 0 ? await versions.settle() : [];
    const results = await resultsOf((await store.run(report.run)) ?? { id: run, plan, episodes: sheet.planned }, { store, cwd, trust });
    let otherSeeds = 0;
    for await (const { seed } of currentRecords(store, run, versions.current)) if (!seeds.has(seed)) otherSeeds++;
    const about = { otherSeeds, changes: [...versions.changes, ...mixed], unpinned: Object.fromEntries(versions.unpinned) };
    return { kind: 'played', ...report, results, ...about };
  });
}

interface PlanCells {
  readonly retry: boolean | undefined;
  readonly reuse: boolean | undefined;
  readonly sheet: PlanTasks;
  readonly run: string;
  readonly of: VersionsOf;
  readonly statuses: ReadonlyMap<string, EpisodeRecord['status']>;
}

/** The number of a plan's stored episodes, and its seeds. */
function countEnded(plan: Plan, { sheet, run, of, statuses, ...options }: PlanCells) {
  const seeds = new Set<Seed>();
  let ended = 0;
  for (const cell of cells(plan, sheet, of)) {
    seeds.add(cell.seed);
    if (statuses.size > 0 && openId(run, cell, statuses, options) === null) ended++;
  }
  return { ended, seeds };
}

/** Every agent is created once before anything is played, so an unknown name stops the run at the start. */
async function checkCasts({ scenes }: PlanTasks, { cwd, trust }: CallPlace): Promise<void> {
  for (const { environment, casts } of scenes)
    for (const cast of casts)
      for (const [seat, spec] of Object.entries(cast)) {
        if (['human', 'me'].includes(typeof spec === 'string' ? spec : spec.kind))
          throw new Fault(
            'input',
            `A plan cannot be played by people, but it assigns a human to ${seat}. To play yourself, use "ludus play".`,
            { code: 'E_UNSUPPORTED' },
          );
        await createAgentLoader(createAgentServices(cwd, trust))(spec, seat, environment);
      }
}

/** Opens a store together with a runner for plans. */
export type PlanRunner = <T>(use: (store: Store, perform: Runner) => Promise<T>) => Promise<T>;

/** The runner of a program: plans are played in this process. */
export function planRunner({ store, reuse }: StoreCallOptions & { readonly reuse?: boolean | undefined }, place: CallPlace): PlanRunner {
  if (typeof store !== 'object')
    return (use) => withRunner(place, { ...(store !== undefined && { store }), ...(reuse !== undefined && { reuse }) }, use);
  return (use) => use(store, (plan, options) => runPlan(plan, { ...options, cwd: place.cwd }, place.trust));
}

/** The plan as plain data: objects are replaced by names. */
function planJson(request: Plan | PlanRequest): Json {
  const environments = (request as PlanRequest).environments.map((entry) =>
    typeof entry === 'object' && 'environment' in entry && !('step' in entry)
      ? { ...entry, environment: environmentName(entry.environment) }
      : environmentName(entry as Ref<AnyEnvironment>),
  );
  const casts = (request as PlanRequest).casts?.map(
    (cast): Cast => Object.fromEntries(Object.entries(cast).map(([seat, agent]) => [seat, specOf(agent)])),
  );
  return { ...request, environments, ...(casts === undefined ? {} : { casts }) } as unknown as Json;
}
