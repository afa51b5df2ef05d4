/** @file `env`: checks, solves, and analyzes environments. */

import { type ExplorerSettings, learnStyle } from '@ludus-agents/agents/internal/explorer';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { type ContentProblem, isContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import type { DreamDocument } from '@ludus-agents/environments/internal/dream/dream';
import { type Solution, solve as solveEnvironment } from '@ludus-agents/environments/internal/solve/index';
import { type Coverage, coverageOf, type Demonstration } from '@ludus-agents/evaluation/internal/coverage';
import { makeDream } from '@ludus-agents/evaluation/internal/dreams';
import { type Exploited, exploit as exploitAgent } from '@ludus-agents/evaluation/internal/exploit';
import { logsIn } from '@ludus-agents/evaluation/internal/stored-run';
import type { AgentSpec, AnyEnvironment, EpisodeEvent, Json, Model, Seat } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isFault } from '@ludus-agents/kernel/internal/core/index';
import { check as checkEnvironment, type Problem } from '@ludus-agents/kernel/internal/engine/check';
import { loadRun } from '@ludus-agents/store/internal/stores';
import type { AgentRef, CallOptions, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { findEnvironment, findModel, findSeat, findSpec, placeOf, readStore, specOf } from './refs.ts';

/** The options of `env.check`. */
export interface CheckRequest extends CallOptions {
  readonly environment: Ref<AnyEnvironment>;
}

/** The problems of an environment; empty if there are none. */
export interface EnvironmentCheck {
  /** The id of the environment; null if its files cannot be parsed. */
  readonly environment: string | null;
  readonly problems: readonly Problem[];
  /** Problems in the files of a folder that describes an environment. */
  readonly content: readonly ContentProblem[];
  /** The results of the proofs for an environment described by files. */
  readonly proofs: readonly string[];
}

/** Checks an environment against the contract of all environments. */
export async function check({ environment: named, ...call }: CheckRequest, place: CallPlace = placeOf(call)): Promise<EnvironmentCheck> {
  try {
    const environment = await findEnvironment(named, place);
    const proofs = isContentEnvironment(environment) ? environment.proofs : [];
    return { environment: environment.id, problems: await checkEnvironment(environment), content: [], proofs };
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'E_CONTENT') throw thrown;
    return { environment: null, problems: [], content: thrown.details['problems'] as readonly ContentProblem[], proofs: [] };
  }
}

/** The options of `env.solve`. */
export interface SolveRequest extends CallOptions {
  /** An environment that is small enough to solve. */
  readonly environment: Ref<AnyEnvironment>;
  readonly task?: Json | undefined;
  /** The tolerance of the value. */
  readonly within?: number | undefined;
  readonly iterations?: number | undefined;
}

/** Computes optimal play in a small environment, exactly or within bounds. */
export async function solve(request: SolveRequest, place: CallPlace = placeOf(request)): Promise<Solution> {
  const { environment, task = {}, within, iterations } = request;
  return solveEnvironment(await findEnvironment(environment, place), task, {
    ...(within !== undefined && { within }),
    ...(iterations !== undefined && { iterations }),
  });
}

/** The options of `env.exploit`. */
export interface ExploitRequest extends CallOptions {
  /** An agent, or a model by its name, such as local/RUN@best. */
  readonly agent: AgentRef;
  /** A game that is small enough to solve. */
  readonly environment: Ref<AnyEnvironment>;
  readonly task?: Json | undefined;
  /** The number of answers to sample at each decision, for agents that give no probabilities. */
  readonly samples?: number | undefined;
  readonly onDecision?: ((done: number, of: number) => void) | undefined;
}

/** Computes exactly how much a perfect opponent wins from an agent in a small game; 0 is perfect play. */
export async function exploit(request: ExploitRequest, place: CallPlace = placeOf(request)): Promise<Exploited> {
  const { agent, environment, task, samples, onDecision, signal } = request;
  return exploitAgent(specOf(agent), await findEnvironment(environment, place), {
    ...{ cwd: place.cwd, trust: place.trust },
    ...(task !== undefined && { task }),
    ...(samples !== undefined && { samples }),
    ...(onDecision !== undefined && { onDecision }),
    ...(signal !== undefined && { signal }),
  });
}

/** The options of `env.coverage`. */
export interface CoverageOptions extends StoreCallOptions {
  readonly environment: Ref<AnyEnvironment>;
  /** The agents that play every seat, one after the other. Each is compared with the first. */
  readonly agents?: readonly AgentRef[] | undefined;
  /** Runs that demonstrate a style; an explorer of each style plays, too. */
  readonly like?: readonly string[] | undefined;
  readonly task?: Json | undefined;
  readonly episodes?: number | undefined;
  readonly repeats?: number | undefined;
  readonly seed?: number | undefined;
}

/** Counts the states and moves of an environment that players reach, with intervals over repetitions. */
export async function coverage(request: CoverageOptions, place: CallPlace = placeOf(request)): Promise<Coverage> {
  const { agents = ['random', 'explorer'], like = [], task, episodes = 100, repeats = 5, seed = 1, signal } = request;
  const environment = await findEnvironment(request.environment, place);
  const demonstrations = like.length === 0 ? [] : await readDemonstrations(environment, like, request, place);
  const specs: AgentSpec[] = [];
  for (const agent of agents) specs.push(await findSpec(agent, place));
  for (const { name, logs } of demonstrations) {
    const settings: ExplorerSettings = { novelty: 1, likeness: 1, style: learnStyle(logs) };
    specs.push({ name: `explorer like ${name}`, kind: 'explorer', settings: { ...settings } });
  }
  const twice = specs.find(({ name }, i) => specs.findIndex((spec) => spec.name === name) < i);
  if (twice !== undefined) throw new Fault('input', `Two players are called "${twice.name}". List each once, or rename one in its file.`);
  const load = createAgentLoader(
    createAgentServices(place.cwd, place.trust, typeof request.store === 'string' ? { store: request.store } : {}),
  );
  const players = Object.fromEntries(specs.map((spec) => [spec.name, (seat: Seat) => load(spec, seat, environment)]));
  return coverageOf({
    ...{ environment, players, demonstrations, episodes, repeats, seed },
    ...(task !== undefined && { task }),
    ...(signal !== undefined && { signal }),
  });
}

/** The episodes of runs in this environment. */
function readDemonstrations(
  environment: AnyEnvironment,
  runs: readonly string[],
  options: StoreCallOptions,
  place: CallPlace,
): Promise<readonly Demonstration[]> {
  return readStore(options, place, async (store) => {
    const demonstrations: Demonstration[] = [];
    for (const name of runs) {
      const logs = await logsIn(store, environment.id, (await loadRun(store, name)).id);
      if (logs.length === 0)
        throw new Fault('input', `The run "${name}" has no episode of ${environment.id}, so it shows no style of play here.`);
      demonstrations.push({ name, logs });
    }
    return demonstrations;
  });
}

/** The options of `env.dream`. */
export interface DreamRequest extends StoreCallOptions {
  readonly environment: Ref<AnyEnvironment>;
  /** The seat whose observations are predicted; the first by default. */
  readonly seat?: Seat | undefined;
  /** The run to learn from; all episodes of the environment by default. */
  readonly run?: string | undefined;
  /** The share of episodes held out to measure the error. */
  readonly hold?: number | undefined;
  /** A model that predicts situations missing from stored steps. */
  readonly model?: Ref<Model> | undefined;
  /** The maximum number of held-out steps to predict. */
  readonly samples?: number | undefined;
}

/** Learns a simulated environment from stored episodes, and measures its error on held-out episodes. */
export async function dream(request: DreamRequest, place: CallPlace = placeOf(request)): Promise<DreamDocument> {
  const { hold = 0.2, samples, model, signal } = request;
  if (!(hold > 0 && hold < 1)) throw new Fault('input', `hold: expected a share between 0 and 1, got ${hold}.`);
  const environment = await findEnvironment(request.environment, place);
  const seat = findSeat(environment, environment.seats(environment.task({})), request.seat);
  const logs: readonly (readonly EpisodeEvent[])[] = await readStore(request, place, async (store) =>
    logsIn(store, environment.id, request.run === undefined ? undefined : (await loadRun(store, request.run)).id),
  );
  return makeDream(logs, {
    ...{ of: environment.id, seat, hold },
    ...(samples !== undefined && { most: samples }),
    ...(signal !== undefined && { signal }),
    ...(model !== undefined && { model: await findModel(model, place) }),
  });
}
