/** @file `eval.power`, `arena`, `report` and `train.sweep`: sample sizes, tournaments, run reports, and recipes with several settings. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { distinguish, namedInRun } from '@ludus-agents/agents/internal/workspace/agent-names';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import type { VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { type ArenaReport, arenaRun, runArena } from '@ludus-agents/evaluation/internal/arena';
import { foundExploits } from '@ludus-agents/evaluation/internal/found-exploits';
import { cardFrom } from '@ludus-agents/evaluation/internal/judges';
import { type Reported, reportFor } from '@ludus-agents/evaluation/internal/report';
import type { FoundExploit } from '@ludus-agents/evaluation/internal/scoring/arena/index';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { episodesForMeans, episodesForRates } from '@ludus-agents/evaluation/internal/scoring/statistics/power';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';
import { type AgentSpec, type AnyEnvironment, type Budget, Fault, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { RunProgress } from '@ludus-agents/kernel/internal/engine/run';
import { improveReport, type Lineage, lineageOf } from '@ludus-agents/learning/internal/improving/lineage';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import type { ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import { withGames } from '@ludus-agents/learning/internal/recipes';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { type TrainingReport, train } from '@ludus-agents/learning/internal/training/train';
import { type TrainingStory, trainingStory } from '@ludus-agents/learning/internal/training/training-story';
import { loadRun } from '@ludus-agents/store/internal/stores';
import type { AgentRef, CallOptions, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { environmentName, findEnvironment, findSpec, placeOf, readStore } from './refs.ts';
import { type PlanRunner, planRunner } from './run.ts';

/** The options of `eval.power`. */
export interface PowerRequest {
  /** The difference to detect: between rates from 0 to 1, or, with `deviation`, between scores. */
  readonly difference: number;
  /** The rate of the worse agent. */
  readonly rate?: number | undefined;
  /** The standard deviation of the score, on its scale. */
  readonly deviation?: number | undefined;
  /** The correlation of two agents on the same tasks and seeds. */
  readonly correlation?: number | undefined;
  readonly power?: number | undefined;
  readonly alpha?: number | undefined;
}

/** The number of episodes per agent that detects a difference, with the same tasks and seeds or different ones. */
export interface PowerPlan extends PowerRequest {
  readonly episodes: { readonly paired: number; readonly unpaired: number };
}

/** Computes the number of episodes needed to detect a difference. */
export async function power(request: PowerRequest): Promise<PowerPlan> {
  const { difference, deviation, correlation = 0.5, power: wanted = 0.8, alpha = 0.05 } = request;
  if (!(correlation >= -1 && correlation <= 1))
    throw new Fault('input', `--correlation: expected a number from −1 to 1, got "${correlation}".`);
  if (deviation === undefined && Math.abs(difference) > 1)
    throw new Fault(
      'input',
      `--difference ${difference}: rates are from 0 to 1, so they cannot differ by ${difference}. Five percentage points are 0.05. For a score on another scale, set --deviation.`,
    );
  // One half, unless the difference does not fit above it.
  const rate = request.rate ?? Math.max(0, Math.min(0.5, 1 - difference));
  const episodesAt = (r: number) =>
    deviation === undefined
      ? episodesForRates({ difference, rate, correlation: r, power: wanted, alpha })
      : episodesForMeans({ difference, deviation, correlation: r, power: wanted, alpha });
  const scale = deviation === undefined ? { rate } : { deviation };
  return {
    difference,
    ...scale,
    correlation,
    power: wanted,
    alpha,
    episodes: { paired: episodesAt(correlation), unpaired: episodesAt(0) },
  };
}

/** The options of `arena`. */
export interface TournamentRequest extends StoreCallOptions {
  readonly environment: Ref<AnyEnvironment>;
  readonly agents: readonly AgentRef[];
  readonly task?: Json | undefined;
  /** The total number of episodes. */
  readonly games?: number | undefined;
  /** Only agents of similar rank play each other, instead of all pairs. */
  readonly swiss?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly budget?: Pick<Budget, 'calls' | 'tokens' | 'money'> | undefined;
  /** Use stored games of agents that cannot be fingerprinted. */
  readonly reuse?: boolean | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  readonly onChanges?: ((changes: readonly VersionChange[], run: string) => void) | undefined;
  /** Called before anything is played; false stops. */
  readonly confirm?: ((callsModels: boolean) => Promise<boolean>) | undefined;
}

/** The ranking of a tournament, known strategies that beat an agent, and the reason for the last failed game, if any. */
export interface Tournament extends ArenaReport {
  readonly environment: string;
  readonly task: Json;
  readonly games: number;
  readonly exploits: readonly FoundExploit[];
  readonly failure: { readonly agent: string | null; readonly message: string } | null;
}

/** Ranks agents in a tournament: they play until their order is decided or the games are used up. Null if `confirm` returned false. */
export async function arena(
  request: TournamentRequest,
  place: CallPlace = placeOf(request),
  runner: PlanRunner = planRunner(request, place),
): Promise<Tournament | null> {
  const { games = 1000, swiss = false, concurrency, budget, reuse, onProgress, onChanges } = request;
  const { cwd, trust } = place;
  const environment = await findEnvironment(request.environment, place);
  const task = environment.task(request.task ?? {}) as Json;
  const specs: AgentSpec[] = [];
  for (const agent of request.agents) specs.push(await findSpec(agent, place));
  const wordOf = (agent: AgentRef, i: number) => (typeof agent === 'string' ? agent : (specs[i]?.name ?? ''));
  const contestants = distinguish(specs, request.agents.map(wordOf), cwd);
  if (contestants.length < 2) throw new Fault('input', `An arena needs at least two agents, but --agents has ${contestants.length}.`);
  for (const spec of contestants) {
    if (spec.kind === 'human' || spec.kind === 'me')
      throw new Fault('input', 'An arena cannot be played by people. To play yourself, use "ludus play".', { code: 'E_UNSUPPORTED' });
    for (const seat of environment.seats(task)) await createAgentLoader(createAgentServices(cwd, trust))(spec, seat, environment);
  }
  if ((await request.confirm?.(contestants.some(callsModels))) === false) return null;
  return runner(async (store, perform) => {
    const agents = await namedInRun(store, arenaRun({ environment, task, swiss }), contestants, cwd);
    const report = await runArena({
      ...{ environment, source: environmentName(request.environment), task, agents, games, swiss, store, perform, cwd, trust },
      ...{ signal: request.signal ?? new AbortController().signal, concurrency, reuse, onChanges },
      ...(budget !== undefined && { budget }),
      ...(onProgress !== undefined && { onProgress }),
    });
    const exploits = await foundExploits(store, environment.id, agents);
    return { ...report, environment: environment.id, task, games, exploits, failure: await lastFailure(store, report) };
  });
}

async function lastFailure(store: Store, { run, failed }: ArenaReport): Promise<Tournament['failure']> {
  const [last] = failed === 0 ? [] : await store.episodes({ run, status: 'error', limit: 1 });
  const end = last === undefined ? undefined : (await store.events(last.id)).at(-1);
  if (last === undefined || end?.kind !== 'end' || end.fault === undefined) return null;
  const { seat, message } = end.fault;
  return { agent: seat === undefined ? null : (last.cast[seat] ?? null), message };
}

/** The options of `report`. */
export interface RunReportRequest extends StoreCallOptions {
  readonly run: string;
  readonly suite?: string | undefined;
  readonly score?: string | undefined;
  /** The file of a trust card. */
  readonly card?: string | undefined;
  readonly over?: Over | undefined;
}

/** The result of a run: scored episodes, a training, or an improvement. */
export type ReportedRun = { readonly run: string; readonly episodes: number } & (
  | ({ readonly kind: 'episodes' } & Pick<Reported, 'report' | 'transcripts'>)
  | { readonly kind: 'training'; readonly story: TrainingStory }
  | { readonly kind: 'improvement'; readonly improvement: ImproveReport; readonly lineage: Lineage }
);

/** Builds the report of a run. `pageOf` and `markdownOf` of `ludus-agents/scoring` format episode reports. */
export async function report(request: RunReportRequest, place: CallPlace = placeOf(request)): Promise<ReportedRun> {
  return readStore(request, place, async (store): Promise<ReportedRun> => {
    const record = await loadRun(store, request.run);
    const run = record.id;
    if (record.work?.kind === 'improve') {
      const improvement = await improveReport(store, run);
      if (improvement === null)
        throw new Fault('input', `The improvement ${run} is not finished. Resume it with "ludus improve --resume ${run}".`);
      const episodes = (await store.statuses(run)).size;
      return { kind: 'improvement', run, episodes, improvement, lineage: await lineageOf(store, record) };
    }
    if (record.work?.kind === 'train') {
      const story = await trainingStory(store, record);
      return { kind: 'training', run, episodes: story.games, story };
    }
    const { suite, score, over } = request;
    const options = { suite, score, card: cardFrom(request.card, place.cwd), over };
    const { report: full, transcripts } = await reportFor(record, options, { trust: place.trust, store, cwd: place.cwd });
    return { kind: 'episodes', run, episodes: full.episodes, report: full, transcripts };
  });
}

/** The options of `train.sweep`. */
export interface SweepRequest extends CallOptions {
  readonly recipe: Ref<Recipe>;
  /** Seeds of each setting. */
  readonly seeds?: number | undefined;
  readonly games?: number | undefined;
  /** Values to try by recipe path: `{ 'loss.kl.weight': [0, 0.1] }`, or as text: "loss.kl.weight=0,0.1". */
  readonly try?: Readonly<Record<string, readonly Json[]>> | readonly string[] | undefined;
}

/** One combination of settings, and the report of each seed. */
export interface SweptSetting {
  readonly settings: readonly string[];
  readonly reports: readonly TrainingReport[];
}

/** Trains one recipe with many seeds and several settings. Null if the signal stopped it. */
export async function sweep(request: SweepRequest, place: CallPlace = placeOf(request)): Promise<readonly SweptSetting[] | null> {
  const { seeds = 3, games, try: tried = [], signal } = request;
  const { cwd, trust } = place;
  const recipe = withGames(typeof request.recipe === 'string' ? await loadRecipe(request.recipe, cwd, trust) : request.recipe, games);
  const rows: SweptSetting[] = [];
  for (const settings of combinations(choicesIn(tried))) {
    const reports: TrainingReport[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const services = { trust, cwd, folder: null, stopped: () => signal?.aborted === true };
      const result = await train({ recipe: override(recipe, settings), seed }, services);
      if (result === null) return null;
      reports.push(result);
    }
    rows.push({ settings, reports });
  }
  return rows;
}

/** The settings to try, each with its values as text. */
function choicesIn(tried: NonNullable<SweepRequest['try']>): readonly (readonly [path: string, values: readonly string[]])[] {
  if (!isWords(tried)) return Object.entries(tried).map(([path, values]) => [path, values.map((value) => JSON.stringify(value))]);
  return tried.map((setting) => {
    const at = setting.indexOf('=');
    if (at < 1) throw new Fault('input', `Expected values to try, such as path=one,two, but got "${setting}".`);
    return [setting.slice(0, at), setting.slice(at + 1).split(',')];
  });
}

function isWords(tried: NonNullable<SweepRequest['try']>): tried is readonly string[] {
  return Array.isArray(tried);
}

/** Every combination of one value per setting. */
function combinations(choices: ReturnType<typeof choicesIn>): readonly (readonly string[])[] {
  return choices.reduce<readonly (readonly string[])[]>(
    (before, [path, values]) => before.flatMap((choice) => values.map((value) => [...choice, `${path}=${value}`])),
    [[]],
  );
}
