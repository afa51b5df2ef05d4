/**
 * @file The report of an improvement: start, best and both baselines on the same episodes, played after everything was chosen.
 *
 * Sample sizes and intervals are over distinct tasks. The score of a candidate is over all tasks that the proposer did not see. A claim is
 * based on the held-out tasks, which were not used for selection either, and needs ten of them. The tasks that the proposer saw are shown
 * separately. The select scores are next to the report scores, because their difference is the winner's curse; and the baselines had the
 * same number of calls, because being better than the start proves nothing about a method.
 */

import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { count } from '@ludus-agents/kernel/internal/core/format';
import type { Candidate } from './candidate.ts';
import type { TrialCost } from './evaluator.ts';
import { costOfPlay, type FrontPoint, meanCost, type PlayCost, pointWords } from './objectives.ts';
import { differenceOf, fewestTasks, playsOf, type ScoreDifference, type TaskScore, taskScore } from './task-statistics.ts';
import type { TaskUse, TrialRecord } from './trial-ledger.ts';
import { byUnit, identityOf } from './trial-scores.ts';
import type { FourCells } from './weights-by-texts.ts';

/** A candidate's scores: on the tasks used to choose it, and on others. */
export type CandidateScore = {
  readonly candidate: string;
  readonly select: number | null;
  /** The mean over the tasks that the proposer did not see, with its 95% interval; the ends are null if there is no spread. */
  readonly report: number;
  readonly low: number | null;
  readonly high: number | null;
  /** The same on the tasks that the proposer saw; null if it saw none, or only these under other seeds. */
  readonly seen: TaskScore | null;
};

/** The conclusion about the gain. "too few": there are not enough held-out tasks. */
export type GainVerdict = 'gain' | 'loss' | 'unclear' | 'too few';

/** The model costs of the whole run, every call counted once. Money is null if the price of a call is unknown. */
export type RunSpending = {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number | null;
  /** Calls without a token count, which count with their full allowance. Omitted if there are none. */
  readonly uncounted?: number;
};

/** The result of an improvement, compared with its baselines. */
export type ImproveReport = {
  readonly run: string;
  readonly engine: string;
  readonly seed: number;
  readonly start: CandidateScore;
  readonly best: CandidateScore;
  readonly baselines: {
    readonly random: CandidateScore;
    readonly resample: CandidateScore & { readonly k: number; readonly bestOf: number };
  };
  /** The best against the start, over the tasks that the proposer did not see. */
  readonly gain: ScoreDifference;
  /** The same over the held-out tasks only: the basis of a claim. */
  readonly heldOut: ScoreDifference;
  readonly verdict: GainVerdict;
  /** The best against the random edit at equal cost, over the held-out tasks. */
  readonly overRandom: ScoreDifference;
  /** The number of task plays charged to the engine. */
  readonly calls: number;
  /** Distinct tasks of the report that the proposer did not see; 0 if only the seeds are new. */
  readonly tasks: number;
  /** Report episodes of each candidate, including tasks that the proposer saw. */
  readonly episodes: number;
  /** Tasks on which the best scores 0 in every episode. */
  readonly failed: readonly { readonly scene: string; readonly task: string; readonly use: TaskUse }[];
  readonly candidates: { readonly made: number; readonly accepted: number; readonly rejected: number };
  /**
   * The charges of each engine, including baselines; `report` is the cost of the final episodes. Episodes shared by engines are charged to
   * each.
   */
  readonly spent: Readonly<Record<string, TrialCost>>;
  /** The actual cost, with nothing counted twice. */
  readonly total: RunSpending;
  readonly words: readonly string[];
  /** The cost of a report play of the start and the best. */
  readonly costs: { readonly start: PlayCost; readonly best: PlayCost };
  /** Candidates of the engine that no other dominates in score and costs, on the select tasks. */
  readonly front?: readonly FrontPoint[];
  /** The separate gains of texts and weights, if weights were trained too. */
  readonly cells?: FourCells;
};

/** One side of the comparison: the answer and its report plays. */
export interface ReportSide {
  readonly candidate: Candidate;
  readonly select: number | null;
  readonly plays: readonly TrialRecord[];
}

export interface ReportParts {
  readonly run: string;
  readonly engine: string;
  readonly seed: number;
  readonly start: ReportSide;
  readonly best: ReportSide;
  readonly random: ReportSide;
  readonly resample: ReportSide & { readonly k: number; readonly bestOf: number };
  readonly candidates: ImproveReport['candidates'];
  readonly spent: ImproveReport['spent'];
  readonly total: RunSpending;
  readonly front?: readonly FrontPoint[];
}

/** Tasks that the proposer did not see, or saw under other seeds if there are too few tasks to divide. */
const unseenUses = ['held-out', 'gate', 'seeds'] as const;
/** Tasks that were not used for selection either. */
const heldOutUses = ['held-out', 'seeds'] as const;

export function reportOf(parts: ReportParts): ImproveReport {
  const { run, engine, seed, start, best, random, resample, candidates, spent, total } = parts;
  const difference = (before: ReportSide, after: ReportSide, uses: readonly TaskUse[]) =>
    differenceOf(playsOf(before.plays, ...uses), playsOf(after.plays, ...uses));
  const gain = difference(start, best, unseenUses);
  const heldOut = difference(start, best, heldOutUses);
  const fresh = byUnit(playsOf(best.plays, 'held-out', 'gate'));
  const report: Omit<ImproveReport, 'words'> = {
    ...{ run, engine, seed },
    start: scoreCandidate(start),
    best: scoreCandidate(best),
    baselines: { random: scoreCandidate(random), resample: { ...scoreCandidate(resample), k: resample.k, bestOf: resample.bestOf } },
    ...{ gain, heldOut, verdict: verdictOf(heldOut) },
    overRandom: difference(random, best, heldOutUses),
    calls: spent[engine]?.calls ?? 0,
    tasks: fresh.size,
    episodes: best.plays.filter(({ score }) => score !== null).length,
    failed: failedTasks(best.plays),
    ...{ candidates, spent, total },
    costs: { start: meanCost(start.plays.map(costOfPlay)), best: meanCost(best.plays.map(costOfPlay)) },
    ...(parts.front === undefined ? {} : { front: parts.front }),
  };
  return { ...report, words: wordsFor(report, best.plays) };
}

function scoreCandidate({ candidate, select, plays }: ReportSide): CandidateScore {
  const { mean: report = 0, low = null, high = null } = taskScore(playsOf(plays, ...unseenUses)) ?? {};
  return { candidate: candidate.id, select, report, low, high, seen: taskScore(playsOf(plays, 'proposer')) };
}

/** The sample size: distinct tasks, or episodes if the interval is over seeds. */
function sizeOf({ over, tasks, episodes }: Pick<ScoreDifference, 'over' | 'tasks' | 'episodes'>): number {
  return over === 'tasks' ? tasks : episodes;
}

/** The conclusion that an interval supports: none if there are fewer than ten tasks (or episodes, for intervals over seeds). */
export function verdictOf({ low, high, ...difference }: ScoreDifference): GainVerdict {
  if (sizeOf(difference) < fewestTasks || low === null || high === null) return 'too few';
  return low > 0 ? 'gain' : high < 0 ? 'loss' : 'unclear';
}

/** Tasks that scored 0 in every play; empty if scores are not from 0 to 1, where 0 is not a failure. */
function failedTasks(plays: readonly TrialRecord[]): ImproveReport['failed'] {
  if (plays.some(({ score }) => score !== null && (score < 0 || score > 1))) return [];
  const tasks = Map.groupBy(
    plays.filter(({ score }) => score !== null),
    (play) => `${identityOf(play).scene}\n${identityOf(play).task}`,
  );
  return [...tasks.values()].flatMap((trialRecords) => {
    const { scene, task, use } = identityOf(trialRecords[0]);
    return trialRecords.every(({ score }) => score === 0) ? [{ scene, task, use }] : [];
  });
}

function wordsFor(report: Omit<ImproveReport, 'words'>, plays: readonly TrialRecord[]): readonly string[] {
  const { engine, best, gain } = report;
  const { resample } = report.baselines;
  if (gain.tasks === 0)
    return [
      ...missingWords(plays),
      'No task of the report was played and scored, so nothing can be said of the result. If the budget ended, raise it.',
    ];
  const sentences = [...gainWords(report, plays), ...seenWords(report), ...missingWords(plays)];
  if (engine === 'random') sentences.push('It is the random edit itself; other engines are compared with it.');
  else sentences.push(randomWords(report, plays));
  sentences.push(
    `Resampling the start instead: its best draw scored ${show(resample.select ?? 0)} at the gate, and it scores ${show(resample.report)} in the report. An oracle that picks the best of ${resample.k} plays of each task gets ${show(resample.bestOf)}.`,
  );
  if (best.select !== null)
    sentences.push(
      `On the gate's tasks, by which it was chosen, the best scored ${show(best.select)}; in the report it scores ${changeWords(best.report - best.select)}.`,
    );
  const { costs } = report;
  if (costs.best.tokens !== costs.start.tokens)
    sentences.push(`The best takes ${Math.round(costs.best.tokens)} tokens per play, and the start ${Math.round(costs.start.tokens)}.`);
  if (report.front !== undefined)
    sentences.push(`On the selection tasks, no candidate beats these in every objective: ${report.front.map(pointWords).join('; ')}.`);
  return sentences;
}

/** Whether the engine does more than random edits. */
function randomWords({ best, baselines: { random }, overRandom }: Omit<ImproveReport, 'words'>, plays: readonly TrialRecord[]): string {
  const verdict = verdictOf(overRandom);
  const relation = { gain: 'beats', loss: 'loses to', unclear: 'does not beat', 'too few': 'cannot be distinguished from' }[verdict];
  if (best.candidate === random.candidate)
    return 'It does not beat random edits behind the same gate at equal cost: both end with the same agent.';
  const few = verdict === 'too few' ? `; ${fewWords(overRandom, unitIn(plays))}` : '';
  return `It ${relation} random edits behind the same gate at equal cost, which reach ${show(random.report)}: ${formatDifference(overRandom)}${few}.`;
}

/** Compares the start and the best on unseen tasks, and states the conclusion. */
function gainWords({ start, best, gain, heldOut }: Omit<ImproveReport, 'words'>, plays: readonly TrialRecord[]): readonly string[] {
  const opening = `On ${scopeWords(plays)}, the best scores ${formatScore(best)} and the start ${formatScore(start)}`;
  if (start.candidate === best.candidate) return [`${opening}: they are the same agent, so there is no gain.`];
  return claimWords(opening, { gain, heldOut, unit: unitIn(plays) });
}

export interface GainClaim {
  readonly gain: ScoreDifference;
  readonly heldOut: ScoreDifference;
  /** The name of distinct tasks: "held-out task", or "task" if only the seeds are new. */
  readonly unit: string;
}

/** The name of the tasks behind a claim. */
export function unitIn(plays: readonly TrialRecord[]): string {
  return playsOf(plays, 'held-out', 'gate').length > 0 ? 'held-out task' : 'task';
}

/** Describes a difference, and the conclusion from the held-out tasks. */
export function claimWords(opening: string, { gain, heldOut, unit }: GainClaim): readonly string[] {
  const verdict = verdictOf(heldOut);
  const claim =
    verdict === 'too few' ? fewWords(heldOut, unit) : `${claims[verdict]}. This covers ${scopeText(heldOut.over, heldOut.tasks)}`;
  const first = `${opening}: ${formatDifference(gain)}`;
  if (heldOut.tasks === gain.tasks) return [`${first}${verdict === 'too few' ? `. ${claim}` : `, ${claim}`}.`];
  const others =
    heldOut.tasks === 0
      ? 'none was held out from both'
      : `on the ${count(heldOut.tasks, 'task')} held out from both: ${formatDifference(heldOut)}`;
  const text = `The gate chose by ${gain.tasks - heldOut.tasks} of these tasks; ${others}`;
  return [`${first}.`, verdict === 'too few' ? `${text}. ${claim}.` : `${text}, ${claim}.`];
}

const claims: Readonly<Record<Exclude<GainVerdict, 'too few'>, string>> = {
  gain: 'a gain beyond what luck explains',
  loss: 'a loss beyond what luck explains',
  unclear: 'which may be luck',
};

/** States that the sample is too small for a claim, and the required size. */
function fewWords(difference: ScoreDifference, unit: string): string {
  return `${count(sizeOf(difference), difference.over === 'tasks' ? unit : 'episode')} cannot support a claim, which needs at least ${fewestTasks}`;
}

/** Describes the tasks that the proposer saw, and those on which the best always fails. */
function seenWords({ start, best, failed }: Omit<ImproveReport, 'words'>): readonly string[] {
  const { seen } = best;
  const sentences: string[] = [];
  if (seen !== null && start.seen !== null)
    sentences.push(
      `On the ${count(seen.tasks, 'task')} that the proposer saw, which are no evidence, the best scores ${show(seen.mean)} and the start ${show(start.seen.mean)}.`,
    );
  if (failed.length > 0) {
    const named = failed.slice(0, 5).map(({ task, use }) => (use === 'proposer' ? `${task} (seen by the proposer)` : task));
    const more = failed.length > named.length ? `, and ${failed.length - named.length} more` : '';
    sentences.push(
      `The best fails ${count(failed.length, 'task')} in every episode: ${`${named.join(', ')}${more}`.replace(/[.?!]$/, '')}.`,
    );
  }
  return sentences;
}

/** Report plays of the best that the scorer could not score: they are excluded from its mean. */
function missingWords(plays: readonly TrialRecord[]): readonly string[] {
  const reasons = plays.flatMap(({ unscored }) => unscored ?? []);
  if (reasons.length === 0) return [];
  return [
    `${count(reasons.length, 'play')} of the best ${reasons.length === 1 ? 'has' : 'have'} no score and do not count: ${reasons[0]}.`,
  ];
}

/**
 * "the 8 tasks that the proposer did not see (32 episodes)", or "2 tasks (48 episodes), which the proposer has seen under other seeds".
 * Tasks that it saw are played last: if none was played, there may be more unseen ones.
 */
function scopeWords(plays: readonly TrialRecord[]): string {
  const [fresh, repeated] = [taskScore(playsOf(plays, 'held-out', 'gate')), taskScore(playsOf(plays, 'seeds'))];
  return [
    ...(fresh === null
      ? []
      : [
          `${playsOf(plays, 'proposer').length === 0 ? '' : 'the '}${count(fresh.tasks, 'task')} that the proposer did not see${episodeWords(fresh)}`,
        ]),
    ...(repeated === null
      ? []
      : [`${count(repeated.tasks, 'task')}${episodeWords(repeated)}, which the proposer has seen under other seeds`]),
  ].join(' and ');
}

/** " (48 episodes)", or empty if every task was played once. */
export function episodeWords({ tasks, episodes }: Pick<TaskScore, 'tasks' | 'episodes'>): string {
  return episodes > tasks ? ` (${count(episodes, 'episode')})` : '';
}

function changeWords(change: number): string {
  return show(Math.abs(change)) === show(0) ? 'the same' : `${show(Math.abs(change))} ${change < 0 ? 'less' : 'more'}`;
}

function show(value: number): string {
  return value.toFixed(3);
}

/** "0.875 (0.529 to 0.978)", or without an interval if there is none. */
export function formatScore({ report, low, high }: Pick<CandidateScore, 'report' | 'low' | 'high'>): string {
  return low === null || high === null ? show(report) : `${show(report)} (${show(low)} to ${show(high)})`;
}

/** "+0.625 (0.214 to 0.912)", or without an interval if there is none. */
export function formatDifference({ mean, low, high }: ScoreDifference): string {
  const sign = `${mean < 0 ? '−' : '+'}${show(Math.abs(mean))}`;
  const end = (value: number) => `${value < 0 ? '−' : ''}${show(Math.abs(value))}`;
  return low === null || high === null ? `${sign} (no interval)` : `${sign} (${end(low)} to ${end(high)})`;
}
