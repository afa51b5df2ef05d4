/** @file `run`: plays a plan and returns what it came to. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { withOwnAgents } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { type RunResults, resultsOf } from '@ludus-agents/evaluation/internal/results';
import { type RunPlanOptions, run as runPlan } from '@ludus-agents/evaluation/internal/run-plan';
import type { AnyEnvironment, Cast, Json, Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import '@ludus-agents/servers/internal/kinds';
import { type Runner, withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { type AgentRef, type CallPlace, environmentName, programTrust, type Ref, type StoreCallOptions, specOf } from './refs.ts';

/** A plan whose environments and agents may be objects in memory. */
export interface PlanRequest {
  readonly name?: string;
  readonly environments: readonly (Ref<AnyEnvironment> | { readonly environment: Ref<AnyEnvironment>; readonly tasks?: readonly Json[] })[];
  /** How many seeds each task is played with, or the seeds themselves. */
  readonly seeds: number | readonly (number | string)[];
  /** Who sits where; "*" is every other seat. */
  readonly casts: readonly Readonly<Record<string, AgentRef>>[];
  /** Play each cast with the seats exchanged, too. */
  readonly swap?: boolean;
  readonly limits?: Plan['limits'];
  readonly budget?: Plan['budget'];
}

/** How a plan is played. Without a store, episodes are kept in memory until the call returns. */
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

/** Opens a store together with a way to play plans into it. */
export type PlanRunner = <T>(use: (store: Store, perform: Runner) => Promise<T>) => Promise<T>;

/** The runner of a program: plans are played in this process. */
export function planRunner({ store }: StoreCallOptions, place: CallPlace): PlanRunner {
  if (typeof store !== 'object') return (use) => withRunner(place, store === undefined ? {} : { store }, use);
  return (use) => use(store, (plan, options) => runPlan(plan, { ...options, cwd: place.cwd }, place.trust));
}

/** The plan as plain data: objects take part under a name. */
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
