/**
 * @file The report of an improvement: start, best and both baselines on the same fresh tasks, by which none was chosen.
 *
 * The select scores are next to the report scores, because their difference is the winner's curse; and the baselines had the same number of
 * calls, because being better than the start proves nothing about a method.
 */

import { meanOrZero } from '../../core/mean.ts';
import type { Candidate } from './candidate.ts';
import type { TrialCost } from './evaluator.ts';
import { errorOf } from './gate.ts';
import { costOfPlay, type FrontPoint, meanCost, type PlayCost, pointWords } from './objectives.ts';
import type { TrialRecord } from './trial-ledger.ts';
import { pairTrials, scoreOf } from './trial-scores.ts';
import type { FourCells } from './weights-by-texts.ts';

/** A candidate's scores: where it was chosen, and where it was not. */
export type CandidateScore = {
  readonly candidate: string;
  readonly select: number | null;
  readonly report: number;
  readonly error: number;
};

/** A difference on the same tasks with its 95 % interval. */
export type ScoreDifference = { readonly mean: number; readonly low: number; readonly high: number };

/** What an improvement came to, beside its baselines. */
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
  readonly gain: ScoreDifference;
  /** Best against the random edit at equal cost. */
  readonly overRandom: ScoreDifference;
  readonly calls: number;
  /** Fresh tasks that all candidates have played. */
  readonly tasks: number;
  readonly candidates: { readonly made: number; readonly accepted: number; readonly rejected: number };
  /** By engine, baselines included; `report` is what the fresh tasks took. */
  readonly spent: Readonly<Record<string, TrialCost>>;
  readonly words: readonly string[];
  /** What a play of start and best takes, on the fresh tasks. */
  readonly costs: { readonly start: PlayCost; readonly best: PlayCost };
  /** Candidates of the engine that no other beats in score and costs, by the select tasks. */
  readonly front?: readonly FrontPoint[];
  /** Who earned what, where weights were trained too. */
  readonly cells?: FourCells;
};

/** One side of the comparison: who answered with what, and how it did on the fresh tasks. */
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
  readonly front?: readonly FrontPoint[];
}

export function reportOf(parts: ReportParts): ImproveReport {
  const { run, engine, seed, start, best, random, resample, candidates, spent } = parts;
  const gain = differenceOf(start.plays, best.plays);
  const overRandom = differenceOf(random.plays, best.plays);
  const report: Omit<ImproveReport, 'words'> = {
    ...{ run, engine, seed },
    start: scoreCandidate(start),
    best: scoreCandidate(best),
    baselines: { random: scoreCandidate(random), resample: { ...scoreCandidate(resample), k: resample.k, bestOf: resample.bestOf } },
    ...{ gain, overRandom },
    calls: spent[engine]?.calls ?? 0,
    tasks: pairTrials(start.plays, best.plays).length,
    ...{ candidates, spent },
    costs: { start: meanCost(start.plays.map(costOfPlay)), best: meanCost(best.plays.map(costOfPlay)) },
    ...(parts.front === undefined ? {} : { front: parts.front }),
  };
  return { ...report, words: wordsFor(report) };
}

function scoreCandidate({ candidate, select, plays }: ReportSide): CandidateScore {
  const scores = plays.flatMap(({ score }) => (score === null ? [] : [score]));
  return { candidate: candidate.id, select, report: scoreOf(plays), error: errorOf(scores) };
}

/** The mean of what the second did better, task by task, with its 95 % interval. */
export function differenceOf(before: readonly TrialRecord[], after: readonly TrialRecord[]): ScoreDifference {
  const differences = pairTrials(before, after).map((pair) => pair.after - pair.before);
  const mean = meanOrZero(differences);
  const error = errorOf(differences);
  return { mean, low: mean - 1.96 * error, high: mean + 1.96 * error };
}

function wordsFor(report: Omit<ImproveReport, 'words'>): readonly string[] {
  const { engine, start, best, baselines, gain, overRandom } = report;
  const { random, resample } = baselines;
  if (report.tasks === 0) return ['The budget ended before any fresh task was played, so nothing can be said of the result; give it more.'];
  const words = [
    `On ${report.tasks} fresh tasks the best scores ${show(best.report)} and the start ${show(start.report)}: ${interval(gain)}, ${sure(gain, 'a gain')}.`,
  ];
  if (engine === 'random') words.push('It is the random edit itself; other engines are held against it.');
  else {
    const verdict = overRandom.low > 0 ? 'beats' : overRandom.high < 0 ? 'loses to' : 'does not beat';
    words.push(
      `It ${verdict} random edits behind the same gate at equal cost, which reach ${show(random.report)}: ${interval(overRandom)}.`,
    );
  }
  words.push(
    `Playing the start again and again instead: its luckiest draw shows ${show(resample.select ?? 0)}, fresh tasks ${show(resample.report)}; the best of ${resample.k} plays of each task, which only an oracle could pick, ${show(resample.bestOf)}.`,
  );
  if (best.select !== null)
    words.push(
      `Where it was chosen the best showed ${show(best.select)}: ${show(Math.abs(best.select - best.report))} ${best.select > best.report ? 'too much' : 'too little'}.`,
    );
  const { costs } = report;
  if (costs.best.tokens !== costs.start.tokens)
    words.push(`A play of the best takes ${Math.round(costs.best.tokens)} tokens, one of the start ${Math.round(costs.start.tokens)}.`);
  if (report.front !== undefined)
    words.push(
      `Nothing that was tried beats these in everything, by the tasks they were chosen on: ${report.front.map(pointWords).join('; ')}.`,
    );
  return words;
}

function show(value: number): string {
  return value.toFixed(3);
}

function interval({ mean, low, high }: ScoreDifference): string {
  return `${mean < 0 ? '−' : '+'}${show(Math.abs(mean))} (${show(low)} to ${show(high)})`;
}

function sure({ low, high }: ScoreDifference, what: string): string {
  return low > 0 ? `surely ${what}` : high < 0 ? 'surely a loss' : 'which may be luck';
}
