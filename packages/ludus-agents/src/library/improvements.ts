/** @file `improve.lineage`, `diff`, `rollback`, `ablate`, `experience`, `digests`, and `pack`: history, parts, and lessons of agents. */

import { isLanguageKind } from '@ludus-agents/agents/internal/agent-kind';
import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { createAgentLoader, standIn } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { checkAgentName } from '@ludus-agents/agents/internal/workspace/agents';
import { type AblationRequest, type ArmResult, ablate as ablateAgent, armsOf } from '@ludus-agents/evaluation/internal/ablation';
import { rowsIn } from '@ludus-agents/evaluation/internal/cases/read-cases';
import type { Crossover } from '@ludus-agents/evaluation/internal/crossover';
import { logsIn } from '@ludus-agents/evaluation/internal/stored-run';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';
import type { AgentSpec, AnyEnvironment, Budget, Cast, Json, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import type { RunProgress, RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { type ExpansionCase, expansionCaseShape, type LearnedExpansion, learnExpansion } from '@ludus-agents/learning/internal/expansion';
import { experienceFrom } from '@ludus-agents/learning/internal/experience';
import { packOfEpisodes } from '@ludus-agents/learning/internal/improving/episode-pack';
import type { Lineage } from '@ludus-agents/learning/internal/improving/lineage';
import { candidateBy, candidateIn, improvementBy, lineageOf, rollBack } from '@ludus-agents/learning/internal/improving/lineage';
import { type ExperiencePack, packOf, readPack, withPack } from '@ludus-agents/learning/internal/improving/pack';
import { restoreSpec } from '@ludus-agents/learning/internal/prompts/archive';
import { addressOf, type Change, changeBetween, componentsOf } from '@ludus-agents/learning/internal/prompts/components';
import { loadRun } from '@ludus-agents/store/internal/stores';
import type { AgentRef, CallOptions, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { changeStore, environmentName, findDocument, findEnvironment, findSeat, findSpec, placeOf, readStore, readText } from './refs.ts';
import { type PlanRunner, planRunner } from './run.ts';

/** The options of `improve.lineage`. */
export interface LineageRequest extends StoreCallOptions {
  /** A run of `improve`. */
  readonly run: string;
  /** Also return the accepted changes as a pack. */
  readonly pack?: boolean | undefined;
}

/** Every candidate of an improvement with its parents, scores and verdicts. */
export interface ImprovementLineage extends Lineage {
  /** The accepted changes, for use with another agent. */
  readonly pack?: ExperiencePack;
}

/** Lists the candidates of an improvement with their parents, scores and verdicts. */
export async function lineage(request: LineageRequest, place: CallPlace = placeOf(request)): Promise<ImprovementLineage> {
  return readStore(request, place, async (store) => {
    const run = await improvementBy(store, request.run);
    return { ...(await lineageOf(store, run)), ...(request.pack === true && { pack: await packOf(store, run) }) };
  });
}

/** The options of `improve.diff`: candidates by id, specs, or their files. */
export interface DiffRequest extends StoreCallOptions {
  readonly before: Ref<AgentSpec>;
  readonly after: Ref<AgentSpec>;
}

/** Two specs by address, and the differences of their texts. */
export interface SpecDiff {
  readonly a: string;
  readonly b: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly change: Change;
}

/** Compares the texts of two candidates. */
export async function diff(request: DiffRequest, place: CallPlace = placeOf(request)): Promise<SpecDiff> {
  const [a, b] = [await specBy(request.before, request, place), await specBy(request.after, request, place)];
  const [before, after] = [componentsOf(a), componentsOf(b)];
  return { a: addressOf(a), b: addressOf(b), before, after, change: changeBetween(before, after) };
}

async function specBy(spec: Ref<AgentSpec>, request: StoreCallOptions, place: CallPlace): Promise<AgentSpec> {
  if (typeof spec !== 'string') return spec;
  if (/[\\/]|\.json$/.test(spec)) return (await findDocument(spec, place, 'The spec')) as AgentSpec;
  return readStore(request, place, async (store) => (await candidateBy(store, spec)).candidate.spec);
}

/** The options of `improve.rollback`. */
export interface RollbackRequest extends StoreCallOptions {
  readonly run: string;
  readonly candidate: string;
}

/** The candidate after the rollback. */
export interface Rollback {
  readonly run: string;
  readonly candidate: string;
  /** The address of the stored spec. */
  readonly spec: string;
  readonly content: AgentSpec;
}

/** Returns an improvement to any of its candidates, byte for byte. */
export async function rollback(request: RollbackRequest, place: CallPlace = placeOf(request)): Promise<Rollback> {
  return changeStore(request, place, async (store) => {
    const run = await improvementBy(store, request.run);
    const located = await candidateIn(store, run, request.candidate);
    const content = restoreSpec(located.archive, located.candidate.id);
    return { run: run.id, candidate: located.candidate.id, spec: await rollBack(store, located, content), content };
  });
}

/** The options of `improve.pack`. */
export interface PackRequest extends StoreCallOptions {
  readonly environment: Ref<AnyEnvironment>;
  readonly seat?: Seat | undefined;
  /** The run to learn from; all episodes of the environment by default. */
  readonly run?: string | undefined;
}

/** The options of `improve.experience`. */
export interface ExperienceRequest extends PackRequest {
  /** The language agent that learns. */
  readonly agent: AgentRef;
}

/** Writes the lessons of an environment's stored episodes to a pack that any language agent can use. */
export async function pack(request: PackRequest, place: CallPlace = placeOf(request)): Promise<ExperiencePack> {
  const { environment, seat, logs } = await storedPlay(request, place);
  return packOfEpisodes(logs, seat, nameOf(environment));
}

/** Gives a pack to a language agent, or to those of a team. */
export async function takePack(agent: AgentRef, pack: Ref<ExperiencePack>, place: CallPlace = placeOf({})): Promise<AgentSpec> {
  const content = typeof pack === 'string' ? readPack(JSON.stringify(await findDocument(pack, place, 'The pack')), pack) : pack;
  return withPack(await findSpec(agent, place), content);
}

async function storedPlay(request: PackRequest, place: CallPlace) {
  const environment = await findEnvironment(request.environment, place);
  const seat = findSeat(environment, environment.seats(environment.task({})), request.seat);
  const logs = await readStore(request, place, async (store) =>
    logsIn(store, environment.id, request.run === undefined ? undefined : (await loadRun(store, request.run)).id),
  );
  return { environment, seat, logs };
}

/** An agent with lessons from stored episodes. */
export interface ExperiencedAgent {
  readonly spec: AgentSpec;
  readonly seat: Seat;
  readonly episodes: number;
  readonly experience: ReturnType<typeof experienceFrom>;
}

/** Adds lessons from stored episodes to an agent: right moves by situation, uses of objects, and plans by goal. */
export async function experience(request: ExperienceRequest, place: CallPlace = placeOf(request)): Promise<ExperiencedAgent> {
  const spec = await findSpec(request.agent, place);
  if (!isLanguageKind(spec.kind))
    throw new Fault('input', `Experience needs a language agent, but ${spec.name} is of the kind "${spec.kind}".`);
  const { environment, seat, logs } = await storedPlay(request, place);
  const learned = experienceFrom(logs, seat, environment.id);
  return { spec: { ...spec, settings: { ...spec.settings, experience: learned } }, seat, episodes: logs.length, experience: learned };
}

/** The options of `improve.digests`. */
export interface DigestsRequest extends CallOptions {
  /** The language agent that gets the policy. */
  readonly agent: AgentRef;
  /** A file of cases (.jsonl, .csv, .tsv) with "question", "result" and "answer", or the cases. */
  readonly cases: string | readonly ExpansionCase[];
  /** The seed of the split into training and test cases. */
  readonly seed?: number | undefined;
}

/** An agent with a learned policy for long results. */
export interface TaughtDigests extends LearnedExpansion {
  readonly spec: AgentSpec;
}

/** Learns which passages of long results to show an agent verbatim, with the local sentence encoder if available. */
export async function digests(request: DigestsRequest, place: CallPlace = placeOf(request)): Promise<TaughtDigests> {
  const { agent, cases, seed } = request;
  const spec = await findSpec(agent, place);
  if (!isLanguageKind(spec.kind))
    throw new Fault('input', `Digests need a language agent, but ${spec.name} is of the kind "${spec.kind}".`);
  const read =
    typeof cases === 'string'
      ? rowsIn(await readText(cases, place, 'The cases'), cases).map(({ fields, where }) =>
          readAs(expansionCaseShape, fields, { where, called: 'a case' }),
        )
      : cases;
  const learned = await learnExpansion(read, recallEncoder(), seed);
  return { spec: { ...spec, settings: { ...spec.settings, digests: { ...learned.expansion } } }, ...learned };
}

/** The options of `improve.ablate`. */
export interface AblateRequest extends StoreCallOptions {
  readonly agent: AgentRef;
  readonly environment: Ref<AnyEnvironment>;
  readonly tasks?: readonly Json[] | undefined;
  readonly seat?: Seat | undefined;
  /** The agents on the other seats; their scripts by default. */
  readonly against?: string | undefined;
  readonly games?: number | undefined;
  readonly seed?: number | undefined;
  /** The parts to switch off; all by default. */
  readonly without?: readonly string[] | undefined;
  /** Also switch off thinking. */
  readonly thinking?: boolean | undefined;
  /** For a search: a fast policy to compare with. */
  readonly reflex?: string | undefined;
  /** For a search: give the calls of a removed part to the remaining search. */
  readonly equalCalls?: boolean | undefined;
  readonly budget?: Budget | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Called before anything is played; false stops. */
  readonly confirm?: ((callsModels: boolean) => Promise<boolean>) | undefined;
}

/** The agent with and without each of its parts. */
export interface Ablation {
  readonly environment: string;
  readonly agent: string;
  readonly seat: Seat;
  readonly report: RunReport;
  readonly arms: readonly ArmResult[];
  readonly crossover?: Crossover;
}

/** Plays an agent with and without each of its parts on the same tasks and seeds, to measure the gain and cost of each. Null if `confirm` returned false. */
export async function ablate(
  request: AblateRequest,
  place: CallPlace = placeOf(request),
  runner: PlanRunner = planRunner(request, place),
): Promise<Ablation | null> {
  const { games = 20, seed = 1, without: only, thinking = false, reflex, equalCalls, budget, signal, onProgress } = request;
  const environment = await findEnvironment(request.environment, place);
  const tasks = (request.tasks ?? [{}]).map((task) => environment.task(task) as Json);
  if (typeof request.agent === 'string') await checkAgentName(request.agent, place.cwd, place.trust);
  const spec = await findSpec(request.agent, place);
  const seats = environment.seats(tasks[0]);
  const seat = findSeat(environment, seats, request.seat);
  const others: Cast = Object.fromEntries(
    seats.flatMap((other) => (other === seat ? [] : [[other, request.against ?? standIn(environment, other)]])),
  );
  if (reflex !== undefined && spec.kind !== 'search')
    throw new Fault('input', `--reflex needs an agent of the kind "search", but ${spec.name} is of the kind "${spec.kind}".`);
  if (equalCalls === true && (spec.kind !== 'search' || reflex !== undefined))
    throw new Fault(
      'input',
      reflex !== undefined
        ? 'Use either --equal-calls or --reflex, not both.'
        : `--equal-calls needs an agent of the kind "search", but ${spec.name} is of the kind "${spec.kind}".`,
      { code: 'E_CONFLICTING_OPTIONS' },
    );
  const named = environmentName(request.environment);
  const ablation: AblationRequest = {
    ...{ spec, environment: named, tasks, seat, others, only, games, seed, thinking, reflex, equalCalls },
  };
  const arms = armsOf(ablation);
  if (arms.length === 1)
    throw new Fault(
      'input',
      `${spec.name} has no component to switch off${only === undefined ? '' : ` among ${only.join(', ')}`}. Components are modules, members, memory, plans, tools, notes, and texts.`,
    );
  const load = createAgentLoader(
    createAgentServices(place.cwd, place.trust, typeof request.store === 'string' ? { store: request.store } : {}),
  );
  for (const arm of arms) await load(arm.spec, seat, environment);
  if ((await request.confirm?.(callsModels(spec))) === false) return null;
  return runner(async (store: Store, perform) => {
    const played = await ablateAgent(ablation, {
      store,
      perform: (plan) =>
        perform(plan, {
          store,
          environment: (name) => findEnvironment(name, place),
          agent: load,
          ...(budget !== undefined && { budget }),
          ...(signal !== undefined && { signal }),
          ...(onProgress !== undefined && { onProgress }),
        }),
    });
    const { report, arms: results, crossover } = played;
    return { environment: environment.id, agent: spec.name, seat, report, arms: results, ...(crossover !== undefined && { crossover }) };
  });
}
