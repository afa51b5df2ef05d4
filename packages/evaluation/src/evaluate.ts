/** @file Evaluates agents: plays a suite with them and its null agents on the same seeds, scores it, and compares with the floors. */

import { type AgentOf, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { namedInRun, noteNames } from '@ludus-agents/agents/internal/workspace/agent-names';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isCurrent, type VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import type { AgentSpec, Budget, EpisodeRecord, Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { BudgetCounter, currentBudget, Fault, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { cells, episodeId, keptText, loadPlanTasks, type PlanTasks, type VersionsOf } from '@ludus-agents/kernel/internal/engine/plan';
import { type RunOptions, type RunProgress, type RunReport, run as runPlan } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { noteNulls, noteUse } from './comparison.ts';
import { type JudgeUsage, judgeUsageOf } from './judges.ts';
import { loadScorer, loadSuite, sourcesOfSuite } from './loaders.ts';
import { openVersions, type PlanVersions } from './plan-versions.ts';
import { type ScoredRows, type ScoreRequest, scoredRowsIn, scoreRun } from './score-run.ts';
import { type Standings, standingsOf } from './scoring/evaluation/index.ts';
import type { Judge } from './scoring/judges/index.ts';
import type { Over } from './scoring/statistics/estimator.ts';
import { castsOf, type Suite, type SuiteScene, suiteRun } from './scoring/suites/index.ts';
import type { ScoringReport } from './scoring-report.ts';
import { readStoredRun, type StoredRun } from './stored-run.ts';
import { noteSuite } from './suites.ts';

/** The limits on model calls. */
export type Spendable = Pick<Budget, 'calls' | 'tokens' | 'money'>;

/** The suite, its agents, and the store. */
export interface EvaluateOptions {
  /** A suite by name, by JSON file, or parsed. */
  readonly suite: string | Suite;
  /** The tested agents: kinds like "random" or "scripted:honest", or specs. The suite's null agents are added. */
  readonly agents: readonly (string | AgentSpec)[];
  /** The store for episodes and scores; in memory by default. Its episodes are reused while everything that decides them is unchanged. */
  readonly store?: Store | undefined;
  /** The number of tries per task; the suite's number by default. */
  readonly seeds?: number | undefined;
  /** The population that intervals cover: new tasks if there are ten or more, otherwise new seeds of these. */
  readonly over?: Over | undefined;
  readonly judges?: readonly Judge[] | undefined;
  readonly budget?: Spendable | undefined;
  readonly concurrency?: number | undefined;
  /** Play episodes that failed again. */
  readonly retry?: boolean | undefined;
  /** The name of the run with the results; by default, one for each wording of the suite. */
  readonly run?: string | undefined;
  /** Reuse stored episodes of agents that cannot be fingerprinted, such as a server without a "version"; played again by default. */
  readonly reuse?: boolean | undefined;
  /** Called before anything is played with the changes since the run was last played. */
  readonly onChanges?: ((changes: readonly VersionChange[], run: string) => void) | undefined;
  /** Whether the null agents play along; true by default. */
  readonly floors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** The folder in which files and trained agents are looked up. */
  readonly cwd?: string | undefined;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  /** The agent loader for specs; by default, the folder's. */
  readonly makeAgent?: AgentOf | undefined;
  /** The runner of plans; this process by default. */
  readonly perform?: ((plan: Plan, options: RunOptions) => Promise<RunReport>) | undefined;
}

/** An agent without any episode that ended normally, and the reason of the first failure. */
export type FailedAgent = { readonly agent: string; readonly episodes: number; readonly cause: string };

/** The results of each agent compared with the baselines, and the cost. */
export interface EvaluateReport extends Standings, Pick<RunReport, 'planned' | 'before' | 'played' | 'ends' | 'spent' | 'stopped' | 'why'> {
  readonly suite: string;
  readonly version: number;
  readonly run: string;
  /** Null if it was stopped before anything was scored. */
  readonly scoring: ScoringReport | null;
  readonly judges: readonly JudgeUsage[];
  readonly failed: readonly FailedAgent[];
  /** Changes since the run was last played, and the number of episodes played again for them. */
  readonly changes: readonly VersionChange[];
  /** Stored episodes of earlier versions, or of other tasks, which the figures exclude. */
  readonly earlier: number;
  /** Stored episodes of the same tasks with other seeds than these, which the figures include. */
  readonly otherSeeds: number;
  /** Agents and environments that cannot be fingerprinted, each with the reason. */
  readonly unpinned: Readonly<Record<string, string>>;
}

/** The plans: one for each scene, all of one run. */
export interface EvaluationPlan {
  readonly suite: Suite;
  readonly run: string;
  readonly agents: readonly AgentSpec[];
  readonly plans: readonly Plan[];
  /** The parsed tasks of each plan. */
  readonly sheets: readonly PlanTasks[];
  readonly planned: number;
}

/** Loads everything first: the suite, its scorers, and every agent are loaded before anything is played. */
export async function planEvaluation(options: EvaluateOptions): Promise<EvaluationPlan> {
  const { cwd = process.cwd(), trust, makeAgent = createAgentLoader(createAgentServices(cwd, trust)) } = options;
  const suite = typeof options.suite === 'string' ? await loadSuite(options.suite, cwd, trust) : options.suite;
  const tested = options.agents.map((agent) => (typeof agent === 'string' ? { name: agent, kind: agent } : agent));
  const floors = options.floors === false ? [] : suite.nulls;
  const nulls = floors.filter((name) => !tested.some((agentSpec) => agentSpec.name === name)).map((name) => ({ name, kind: name }));
  const agents: readonly AgentSpec[] = [...tested, ...nulls];
  for (const { score, also } of suite.scenes) await Promise.all([score, ...also].map((name) => loadScorer(name, cwd, trust)));
  const run = options.run ?? suiteRun(suite);
  const plans = suite.scenes.map(
    (scene): Plan => ({
      name: run,
      environments: [{ environment: scene.environment, tasks: scene.tasks }],
      seeds: { from: 0, count: options.seeds ?? suite.seeds },
      casts: castsOf(scene, agents),
    }),
  );
  let planned = 0;
  const sheets: PlanTasks[] = [];
  for (const plan of plans) {
    const sheet = await loadPlanTasks(plan, (name) => resolveEnvironment(name, cwd, trust));
    planned += sheet.planned;
    sheets.push(sheet);
    for (const { environment, casts } of sheet.scenes)
      for (const cast of casts)
        for (const [seat, spec] of Object.entries(cast)) {
          if (isPerson(typeof spec === 'string' ? spec : spec.kind))
            throw new Fault(
              'input',
              'A suite cannot be played by people, but --agents includes a human. To play yourself, use "ludus play".',
              { code: 'E_UNSUPPORTED' },
            );
          await makeAgent(spec, seat, environment);
        }
  }
  return { suite, run, agents, plans, sheets, planned };
}

function isPerson(kind: string): boolean {
  return kind === 'human' || kind === 'me';
}

/** Stores the run so lists show it: all scenes in one plan, although each is played with its own casts. */
export async function putEvaluation(store: Store, { run, suite, plans, planned }: EvaluationPlan): Promise<void> {
  const byEnvironment = Map.groupBy(
    plans.flatMap(({ environments }) => environments),
    ({ environment }) => environment,
  );
  const environments = [...byEnvironment].map(([environment, parts]) => ({ environment, tasks: parts.flatMap(({ tasks }) => tasks) }));
  const plan = { ...plans[0], environments, casts: plans.flatMap(({ casts }) => casts) };
  await store.putRun({ id: run, plan, episodes: planned });
  if (run !== suiteRun(suite)) await noteSuite(store, run, suiteRun(suite));
}

/** Plays a suite, scores it, and reports every agent next to the floor agents. Unchanged stored episodes are reused. */
export async function evaluate(options: EvaluateOptions): Promise<EvaluateReport> {
  return (await evaluateRun(options)).report;
}

/** The evaluation with the loaded run data, and the run's names of the requested agents. */
export interface EvaluatedRun {
  readonly report: EvaluateReport;
  readonly scored: ScoredRows;
  readonly tested: readonly string[];
}

/** The same with the loaded run data, for callers that need more of it: loading it again would take as long as everything else. */
export async function evaluateRun(options: EvaluateOptions): Promise<EvaluatedRun> {
  const { store = memoryStore(), judges = [], over, signal, cwd = process.cwd(), trust } = options;
  const readSuite = typeof options.suite === 'string' ? await loadSuite(options.suite, cwd, trust) : options.suite;
  const specs = options.agents.map((agent) => (typeof agent === 'string' ? { name: agent, kind: agent } : agent));
  const tested = await namedInRun(store, options.run ?? suiteRun(readSuite), specs, cwd);
  const plan = await planEvaluation({ ...options, suite: readSuite, agents: tested });
  const { suite, run, agents } = plan;
  await putEvaluation(store, plan);
  await noteNames(store, run, tested);
  await noteNulls(store, run, suite.nulls);
  await noteUse(store, run);
  const versions = await openVersions(
    plan.plans.map((otherPlan, i) => ({ plan: otherPlan, sheet: plan.sheets[i] })),
    {
      ...{ store, run, cwd, trust, reuse: options.reuse, candidates: agents, exclusive: 'tasks', sources: sourcesOfSuite(readSuite) },
      named: { what: 'suite', name: suite.name, prefix: `${suite.name}-` },
    },
  );
  if (versions.changes.length > 0) options.onChanges?.(versions.changes, run);
  const read = () => readStoredRun(store, [{ run, all: true }]);
  const before = await read();
  let played = await playAll(plan, before, { ...options, store, cwd, versions: versions.of });
  const mixed = played.played > 0 ? await versions.settle() : [];
  if (mixed.length > 0) options.onChanges?.(mixed, run);
  let scoring: ScoringReport | null = null;
  // If no process played anything, the loaded data is complete.
  const after = played.before < played.planned ? await read() : before;
  const sceneOf = sceneFinder(plan, after, versions);
  const names = agents.map(({ name }) => name);
  const isAbout = ({ cast }: EpisodeRecord) => Object.values(cast).some((name) => names.includes(name));
  const plays = ({ records, scores }: StoredRun): StoredRun => {
    const counts = (record: EpisodeRecord) => isAbout(record) && isCurrent(record, versions.current) && sceneOf(record, []) !== null;
    return { records: new Map([...records].filter(([, record]) => counts(record))), scores };
  };
  let stored = plays(after);
  const earlier = [...after.records.values()].filter(isAbout).length - stored.records.size;
  if (played.stopped !== 'signal') {
    const { money } = options.budget ?? {};
    const left = money === undefined ? {} : { budget: { money: Math.max(0, money - played.spent.money) } };
    scoring = await scoreRun({
      ...{ store, run, suite, judges, cwd, trust, reuse: options.reuse, options: { ...left, signal } },
      ...{ sceneOf, read: stored },
    });
    if (scoring.stopped) played = { ...played, stopped: 'signal' };
    if (scoring.scored > 0) stored = plays(await read());
  }
  const scored = await scoredRowsIn(stored, { agents: names });
  const scenes = suite.scenes.map(({ name }) => name);
  const standings = standingsOf(scored.rows, { nulls: suite.nulls, k: suite.k, scenes, over });
  const failed = await failedAgents(store, stored, names);
  const about = { suite: suite.name, version: suite.version, run };
  const changes = [...versions.changes, ...mixed];
  const { unpinned } = versions;
  const count = options.seeds ?? suite.seeds;
  const otherSeeds = [...stored.records.values()].filter(({ seed }) => typeof seed === 'number' && seed >= count).length;
  const reuse = { changes, earlier, otherSeeds, unpinned: Object.fromEntries(unpinned) };
  return {
    report: { ...about, ...played, ...reuse, scoring, judges: judgeUsageOf(judges), failed, ...standings },
    scored,
    tested: tested.map(({ name }) => name),
  };
}

/** "bot:x failed in all 9 episodes: …" */
export function failedAgentText({ agent, episodes, cause }: FailedAgent): string {
  return `${agent} failed in ${episodes === 1 ? 'its one episode' : `all ${formatGrouped(episodes)} episodes`}: ${cause}`;
}

/** Agents all of whose episodes ended in an error, with one of the error messages. */
export async function failedAgents(
  store: Store,
  { records }: Pick<StoredRun, 'records'>,
  agents: readonly string[],
): Promise<readonly FailedAgent[]> {
  const ended = [...records.values()].filter(({ status }) => status !== 'running' && status !== 'abort');
  const failed: FailedAgent[] = [];
  for (const agent of agents) {
    const plays = ({ cast }: EpisodeRecord) => Object.values(cast).includes(agent);
    if (ended.some((record) => record.status !== 'error' && plays(record))) continue;
    const episodeRecords = ended.filter(plays);
    if (episodeRecords.length === 0) continue;
    const end = (await store.events(episodeRecords[0].id)).at(-1);
    const cause = end?.kind === 'end' ? end.fault?.message : undefined;
    failed.push({ agent, episodes: episodeRecords.length, cause: cause ?? 'The log does not give a reason.' });
  }
  return failed;
}

/**
 * Finds the scene of a stored episode: by environment, task, and cast if these are unique, otherwise by its id. Two scenes may
 * differ only in the persona, which a log does not name.
 */
function sceneFinder(
  { suite, run, plans, sheets }: EvaluationPlan,
  { records }: StoredRun,
  { of: versionsOf }: Pick<PlanVersions, 'of'>,
): ScoreRequest['sceneOf'] {
  const places = new Map<string, SuiteScene | null>();
  for (const [i, { scenes }] of sheets.entries())
    for (const { environment, task, casts } of scenes)
      for (const cast of casts) {
        const names = Object.fromEntries(Object.entries(cast).map(([seat, spec]) => [seat, typeof spec === 'string' ? spec : spec.name]));
        const place = placeOf({ environment: environment.id, task, cast: names });
        const scene = suite.scenes[i];
        places.set(place, places.has(place) && places.get(place) !== scene ? null : scene);
      }
  let byId: ReadonlyMap<string, SuiteScene> | null = null;
  const scenesById = (): ReadonlyMap<string, SuiteScene> => {
    const matches = new Map<string, SuiteScene>();
    for (const [i, plan] of plans.entries())
      for (const cell of cells(plan, sheets[i], versionsOf)) {
        const { versions: _, ...unversioned } = cell;
        for (const item of [cell, unversioned])
          for (let attempt = 0, id = episodeId(run, item); records.has(id); id = episodeId(run, item, ++attempt))
            matches.set(id, suite.scenes[i]);
      }
    return matches;
  };
  return (record) => {
    const scene = places.get(placeOf(record)) ?? null;
    if (scene !== null) return scene;
    byId ??= scenesById();
    return byId.get(record.id) ?? null;
  };
}

function placeOf({ environment, task, cast }: Pick<EpisodeRecord, 'environment' | 'task' | 'cast'>): string {
  return `${environment}\n${keptText(task)}\n${keptText(cast)}`;
}

type Played = Pick<RunReport, 'planned' | 'before' | 'played' | 'ends' | 'spent' | 'stopped' | 'why'>;

/** Plays the plans one after another; they share one budget. */
async function playAll(
  { plans, planned }: EvaluationPlan,
  { records }: StoredRun,
  options: EvaluateOptions & { store: Store; cwd: string; versions: VersionsOf },
): Promise<Played> {
  const { store, cwd, trust, perform = runPlan, concurrency, signal, onProgress } = options;
  const { makeAgent: agent = createAgentLoader(createAgentServices(cwd, trust)) } = options;
  const statuses = new Map<string, EpisodeRecord['status']>();
  for (const { id, status } of records.values()) statuses.set(id, status);
  let total: Played = {
    ...{ planned: 0, before: 0, played: 0, stopped: null },
    ...{ ends: { over: 0, limit: 0, error: 0, abort: 0 }, spent: { calls: 0, tokens: 0, money: 0, unpriced: 0 } },
  };
  // Each scene is a run with its own count, so a model that fails in a few episodes of every scene is counted over all of them.
  const failures = new BudgetCounter({}, { parent: currentBudget() });
  for (const plan of plans) {
    if (total.stopped !== null) break;
    const before = total;
    const play = () =>
      perform(plan, {
        ...{ store, signal, retry: options.retry === true, versions: options.versions, reuse: options.reuse === true },
        budget: remaining(options.budget ?? {}, total.spent),
        // Two scenes may share episodes.
        ...(total.played === 0 && { statuses }),
        environment: (name) => resolveEnvironment(name, cwd, trust),
        agent,
        onProgress: (progress) => onProgress?.({ ...progress, ...addCounts(before, { ...progress, stopped: null }), planned }),
        ...(concurrency === undefined ? {} : { concurrency }),
      });
    total = addCounts(total, await withBudget(failures, play));
  }
  return total;
}

/** The fault of an evaluation that was stopped because a model failed repeatedly; null otherwise. */
export function callsFailed({ stopped, why, run }: Pick<EvaluateReport, 'stopped' | 'why' | 'run'>): Fault | null {
  if (stopped !== 'failures') return null;
  const cause = why ?? 'A model failed again and again, so no more calls are made.';
  return new Fault('model', `${cause} What was played is saved in run ${run}; run the same command again to continue.`, {
    code: 'E_CALLS_FAILED',
    details: { run },
  });
}

/** The remaining budget. */
export function remaining(budget: Spendable, spent: RunReport['spent']): Spendable {
  return Object.fromEntries(Object.entries(budget).map(([kind, amount]) => [kind, Math.max(0, amount - spent[kind as keyof Spendable])]));
}

function addCounts(a: Played, b: Played): Played {
  const sum = <K extends string>(left: Readonly<Record<K, number>>, right: Readonly<Record<K, number>>) =>
    Object.fromEntries(Object.keys(left).map((key) => [key, left[key as K] + right[key as K]])) as Record<K, number>;
  return {
    planned: a.planned + b.planned,
    before: a.before + b.before,
    played: a.played + b.played,
    ends: sum(a.ends, b.ends),
    spent: sum(a.spent, b.spent),
    stopped: a.stopped ?? b.stopped,
    ...((a.why ?? b.why) === undefined ? {} : { why: a.why ?? b.why }),
  };
}
