/**
 * @file Two agents on the tasks of a suite, under seeds that no improvement has used: the one before, the one after, the suite's floors, and
 * what random edits had found at equal cost.
 *
 * Numbers are over distinct tasks. Where an improvement is named, the tasks that its proposer saw are shown separately.
 */

import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { changedNames } from '@ludus-agents/evaluation/internal/changed-since';
import { Fingerprints, type Source } from '@ludus-agents/evaluation/internal/fingerprint';
import { sourcesOfSuite } from '@ludus-agents/evaluation/internal/loaders';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { documentSources, noteSources } from '@ludus-agents/evaluation/internal/source-notes';
import { count, listWords } from '@ludus-agents/kernel/internal/core/format';
import { type AgentSpec, Fault, hash, type Json, type RunRecord, type Seed, type Store } from '@ludus-agents/kernel/internal/core/index';
import { openArchives } from '../prompts/archive.ts';
import { createFirstCandidate } from '../prompts/candidate.ts';
import { Evaluator } from '../prompts/evaluator.ts';
import { claimWords, episodeWords, formatDifference, formatScore, type GainVerdict, unitIn, verdictOf } from '../prompts/report.ts';
import { differenceOf, playsOf, type ScoreDifference, type TaskScore, taskScore } from '../prompts/task-statistics.ts';
import type { TaskUse, TrialRecord } from '../prompts/trial-ledger.ts';
import { workOf } from './improve.ts';
import { candidateIn, improvementBy, improveReport } from './lineage.ts';
import { createSuiteTrials, reportEpisodes } from './suite-trials.ts';

export type SpecSide = TaskScore & {
  readonly name: string;
  /** The mean on the tasks that the improvement's proposer saw; null if no improvement is named, or it has no separate tasks. */
  readonly seen: { readonly mean: number; readonly tasks: number } | null;
};

export interface SpecComparison {
  readonly suite: string;
  readonly before: SpecSide;
  readonly after: SpecSide;
  readonly floors: readonly SpecSide[];
  /** The result of random edits at the cost of the improvement, if one is named. */
  readonly control: SpecSide | null;
  /** Over the tasks that the proposer did not see. */
  readonly gain: ScoreDifference;
  /** Over the held-out tasks, which were not used for selection either: the basis of a claim. */
  readonly heldOut: ScoreDifference;
  /** The conclusion about the gain; fewer than ten tasks support no claim. */
  readonly verdict: GainVerdict;
  readonly overControl: ScoreDifference | null;
  /** Why earlier plays are not used, as a sentence; null if they are, or if there are none. */
  readonly notice: string | null;
  readonly words: readonly string[];
}

export interface CompareSpecsOptions {
  readonly before: AgentSpec;
  readonly after: AgentSpec;
  readonly suite: Suite;
  /** The improvement that provides the random-edit control, and the tasks that its proposer saw. */
  readonly run?: string | undefined;
  /** The minimum number of episodes of each agent; every task is played equally often. */
  readonly plays: number;
  readonly seed: Seed;
  readonly store: Store;
  readonly cwd: string;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  /** Reuses stored plays of agents that cannot be fingerprinted; otherwise they are played again. */
  readonly reuse?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The first seed of comparisons, above those of usual improvements. */
const freshDice = 7_000_000;

export async function compareSpecs(options: CompareSpecsOptions): Promise<SpecComparison> {
  const { before, after, suite, plays, seed, store, cwd, trust, signal } = options;
  const named = options.run === undefined ? null : await improvementBy(store, options.run);
  const control = named === null ? null : await randomEdit(store, named);
  // If a winner is compared with its start, some tasks were seen by the proposer, whether the improvement is named or not.
  const run = named ?? (await improvementOf(store, suite, [after, before]));
  const work = run === null ? null : workOf(run);
  const { id, notice } = await openRun(options);
  const ground = await createSuiteTrials({
    ...{ store, run: id, suite, seed: work?.seed ?? 1, counts: work?.tasks ?? null },
    ...{ start: before, cwd, trust, agents: createAgentServices(cwd, trust) },
  });
  const tasks = { propose: 1, select: 1, report: reportEpisodes(suite, plays) };
  const evaluator = new Evaluator({
    ground,
    engine: 'compare',
    seed: freshDice + seed,
    tasks,
    ...(signal === undefined ? {} : { signal }),
  });
  const floors = suite.nulls.map((kind): AgentSpec => ({ name: `floor-${kind}`, kind }));
  const all = [before, after, ...(control === null ? [] : [control]), ...floors];
  const rows = await evaluator.report(all.map(createFirstCandidate));
  const [first = [], second = [], ...rest] = rows;
  const third = control === null ? null : (rest.shift() ?? []);
  const match = {
    ...{ suite: suite.name, before: sideOf('before', first), after: sideOf('after', second) },
    floors: floors.map(({ kind }, i) => sideOf(kind, rest[i] ?? [])),
    control: third === null ? null : sideOf('random edits', third),
    gain: differenceOn(first, second, unseen),
    heldOut: differenceOn(first, second, heldOut),
    verdict: verdictOf(differenceOn(first, second, heldOut)),
    overControl: third === null ? null : differenceOn(third, second, heldOut),
    notice,
  };
  const isSame = createFirstCandidate(before).id === createFirstCandidate(after).id;
  return { ...match, words: wordsFor(match, { run: run?.id ?? null, unit: unitIn(second), isSame }) };
}

/** The run of these plays, and why earlier ones are not used, as a sentence; null if they are, or if there are none. */
async function openRun(options: CompareSpecsOptions): Promise<{ readonly id: string; readonly notice: string | null }> {
  const { before, suite, seed, store, cwd, trust, reuse = false } = options;
  const prefix = idOf(`compare-${before.name}-${suite.name}-${seed}-`);
  const earlier = (await store.runs()).filter(({ id }) => id.startsWith(prefix)).map(({ id }) => id);
  const { version, unpinned, sources } = await versionOf(options);
  const idAt = (round: number) => `${prefix}${version}${round === 1 ? '' : `-${round}`}`;
  let round = 1;
  while (earlier.includes(idAt(round + 1))) round++;
  const isAgain = unpinned.length > 0 && earlier.includes(idAt(round)) && !reuse;
  const id = idAt(isAgain ? round + 1 : round);
  const last = earlier.at(-1);
  const changed = last === undefined || earlier.includes(id) ? [] : await changedNames(store, last, cwd);
  await store.putRun({ id, plan: { name: id, environments: [], seeds: [seed], casts: [] }, episodes: 0 });
  const edited = await noteSources(store, { run: id, use: 'played', sources, cwd, trust });
  const names = [...new Set([...changed, ...edited])];
  if (names.length > 0) return { id, notice: `${listWords(names)} changed since run ${last}: what depends on it is played again.` };
  const notice = `${listWords(unpinned)}: run ${idAt(round)} may be about an earlier version, so everything is played again; --reuse keeps its episodes.`;
  return { id, notice: isAgain ? notice : null };
}

function idOf(text: string): string {
  return text.replace(/[^\w.-]+/g, '-');
}

interface PlayedVersion {
  readonly version: string;
  /** Why some agents cannot be fingerprinted. */
  readonly unpinned: readonly string[];
  readonly sources: readonly Source[];
}

/**
 * The inputs of plays besides the specs: programs with their imports, environments, scorers. If any differs, everything is played again.
 */
async function versionOf({ before, after, suite, cwd, trust }: CompareSpecsOptions): Promise<PlayedVersion> {
  const prints = new Fingerprints({ cwd, trust, isLenient: true });
  // Different texts are another candidate in the same run, so only that candidate is played.
  const programOf = ({ texts: _, persona: __, ...rest }: AgentSpec): AgentSpec => ({ ...rest, name: '' });
  const agents = await Promise.all([before, after].map((spec) => prints.agent(programOf(spec))));
  const environments = await Promise.all(suite.scenes.map(({ environment }) => prints.environment(environment)));
  const scorers = await Promise.all(suite.scenes.flatMap(({ score, also }) => [score, ...also]).map((name) => prints.scorer(name)));
  return {
    version: hash([...agents, ...environments, ...scorers].map((print) => print?.hash ?? '')).slice(0, 8),
    unpinned: [...new Set(agents.flatMap(({ unpinned }) => unpinned))],
    sources: [...prints.sources, ...documentSources([before, after], cwd), ...sourcesOfSuite(suite)],
  };
}

/** Tasks that the proposer did not see, and those that were not used for selection either. */
const unseen: readonly TaskUse[] = ['held-out', 'gate', 'seeds'];
const heldOut: readonly TaskUse[] = ['held-out', 'seeds'];

function differenceOn(before: readonly TrialRecord[], after: readonly TrialRecord[], uses: readonly TaskUse[]): ScoreDifference {
  return differenceOf(playsOf(before, ...uses), playsOf(after, ...uses));
}

/** The latest improvement on this suite that created one of the agents. Starts do not count, because no improvement created them. */
async function improvementOf(store: Store, suite: Suite, agents: readonly AgentSpec[]): Promise<RunRecord | null> {
  const ids = agents.map((spec) => createFirstCandidate(spec).id);
  for (const run of (await store.runs()).toReversed()) {
    if (run.work?.kind !== 'improve' || hash((run.work['suite'] ?? null) as Json) !== hash(suite)) continue;
    const { engines } = await openArchives(store, run.id);
    const newCandidates = [...engines.values()].flatMap(({ candidates }) => candidates.filter(({ parents }) => parents.length > 0));
    if (newCandidates.some(({ id }) => ids.includes(id))) return run;
  }
  return null;
}

/** The result of random edits in an improvement. */
async function randomEdit(store: Store, run: RunRecord): Promise<AgentSpec> {
  const report = await improveReport(store, run.id);
  if (report === null)
    throw new Fault('input', `The run "${run.id}" has no report yet. Resume it with "ludus improve --resume ${run.id}".`);
  return (await candidateIn(store, run, report.baselines.random.candidate)).candidate.spec;
}

function sideOf(name: string, records: readonly TrialRecord[]): SpecSide {
  const score = taskScore(playsOf(records, ...unseen)) ?? { mean: 0, low: null, high: null, over: 'tasks' as const, tasks: 0, episodes: 0 };
  const visitedTaskScore = taskScore(playsOf(records, 'proposer'));
  return { name, ...score, seen: visitedTaskScore === null ? null : { mean: visitedTaskScore.mean, tasks: visitedTaskScore.tasks } };
}

function wordsFor(
  { before, after, floors, gain, heldOut: rest, overControl }: Omit<SpecComparison, 'words'>,
  { run, unit, isSame }: { readonly run: string | null; readonly unit: string; readonly isSame: boolean },
): readonly string[] {
  const floor = floors.toSorted((a, b) => b.mean - a.mean)[0];
  const show = ({ mean: report, low, high }: SpecSide) => formatScore({ report, low, high });
  const tasks = `${count(after.tasks, 'task')}${episodeWords(after)}`;
  const where =
    run === null
      ? tasks
      : unit === 'task'
        ? `${tasks}, which the proposer of ${run} has seen under other seeds`
        : `the ${tasks} that the proposer of ${run} did not see`;
  return [
    ...(isSame ? ['Both are the same agent under two names, so a difference can only be luck.'] : []),
    ...claimWords(`On ${where}, the second scores ${show(after)} and the first ${show(before)}`, {
      gain,
      heldOut: rest,
      unit: run === null ? 'task' : unit,
    }),
    ...(after.seen === null || before.seen === null
      ? []
      : [
          `On the ${count(after.seen.tasks, 'task')} that the proposer saw, which are no evidence, the second scores ${after.seen.mean.toFixed(3)} and the first ${before.seen.mean.toFixed(3)}.`,
        ]),
    ...(overControl === null ? [] : [`Compared with random edits at equal cost: ${formatDifference(overControl)}.`]),
    ...(floor === undefined
      ? []
      : [
          `The best baseline, ${floor.name}, scores ${floor.mean.toFixed(3)}${floor.mean >= after.mean ? ', which is at least as good' : ''}.`,
        ]),
  ];
}
