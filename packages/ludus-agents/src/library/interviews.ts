/** @file Plays the interviews of a survey, or the episodes of an experiment, within a budget; stored ones are reused. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadEnvironment, loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import type { AgentSpec, Budget, Json, Store } from '@ludus-agents/kernel/internal/core/index';
import type { RunProgress, RunReport } from '@ludus-agents/kernel/internal/engine/run';
import type { Runner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { type SurveyPlan, surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import { type AgentRef, type CallPlace, findSpec, type Ref, type StoreCallOptions } from './refs.ts';

/** The settings of interviews. */
export interface InterviewOptions extends StoreCallOptions {
  readonly concurrency?: number | undefined;
  readonly budget?: Pick<Budget, 'calls' | 'tokens' | 'money'> | undefined;
  /** Repeat failed interviews. */
  readonly retry?: boolean | undefined;
  readonly onProgress?: ((progress: RunProgress, run: string) => void) | undefined;
  /** Receives the number of failed interviews of a run, and the reason for one. */
  readonly onFailures?: ((failed: number, cause: string) => void) | undefined;
}

/** An open store with a runner for plans, and its settings. */
export interface Interviewing {
  readonly store: Store;
  readonly perform: Runner;
  readonly place: CallPlace;
  readonly options: InterviewOptions;
}

export async function askPeople(
  { plan, run }: Pick<SurveyPlan, 'plan' | 'run'>,
  { store, perform, place: { cwd, trust }, options }: Interviewing,
): Promise<RunReport> {
  const { signal, budget = {}, retry, concurrency, onProgress, onFailures } = options;
  const report = await perform(plan, {
    ...{ store, budget, retry: retry === true },
    environment: (name) => loadEnvironment(name, cwd, trust),
    agent: createAgentLoader(createAgentServices(cwd, trust)),
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress: (progress) => onProgress(progress, run) }),
    ...(concurrency !== undefined && { concurrency }),
  });
  if (report.ends.error > 0 && onFailures !== undefined) onFailures(report.ends.error, await causeIn(store, run));
  return report;
}

/** The error of a failed interview. */
async function causeIn(store: Store, run: string): Promise<string> {
  for (const [episode, status] of await store.statuses(run)) {
    if (status !== 'error') continue;
    const end = (await store.events(episode)).at(-1);
    if (end?.kind === 'end' && end.fault !== undefined) return end.fault.message;
  }
  return 'the logs do not give a reason.';
}

/** The agent that answers for people: a model, a spec, or an agent in memory. */
export async function findRespondent(agent: AgentRef, place: CallPlace): Promise<AgentSpec> {
  return typeof agent === 'string' ? readSpec(surveyAgent(agent), place.cwd, place.trust) : findSpec(agent, place);
}

export async function findPopulation(population: Ref<Json>, { cwd, trust }: CallPlace): Promise<Json> {
  return typeof population === 'string' ? loadPopulation(population, cwd, trust) : population;
}
