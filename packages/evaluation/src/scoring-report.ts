/** @file The result of scoring a run, with messages about it. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { ScoreFailure } from './scoring/failures.ts';

export interface ScoringReport {
  readonly scored: number;
  readonly before: number;
  /** Episodes whose verdicts are by a judge that may have changed since, so it was asked again. */
  readonly judgedAgain: number;
  /** Episodes whose verdicts are by another version of a judge: its rubric, its model or its settings have changed since. */
  readonly judgedByOther: number;
  /** Episodes whose earlier verdicts count again, because they are by this version of the judge. */
  readonly restored: number;
  /** Episodes whose results are by other rules: the suite or a file of its scorers has changed since. */
  readonly rescored: number;
  /** Files of scorers that changed since the run was scored with them. */
  readonly changed: readonly string[];
  /** Episodes with a result of an unnamed suite, which is stored unchanged. */
  readonly results: number;
  readonly scores: number;
  /** Scores without a value. */
  readonly missing: number;
  /** Names of the scores that have a value. */
  readonly values: readonly string[];
  /** Failed scores, by error message. */
  readonly failures: readonly ScoreFailure[];
  /** Whether the signal stopped it before everything was scored. */
  readonly stopped: boolean;
}

/** Warns that results may be by rules that have changed since. */
export function keptResultsText(episodes: number): string {
  return `The results of ${count(episodes, 'episode')} are by the suite as it was then. To score them by its current files, add --suite FILE.`;
}

/** Scorers all of whose scores failed, one sentence each. */
export function silentScorers(
  { failures, values }: Pick<ScoringReport, 'failures' | 'values'>,
  wanted: readonly string[],
): readonly string[] {
  const names = new Set(failures.map(({ scorer }) => scorer).filter((name) => wanted.includes(name) && !values.includes(name)));
  return [...names].map((name) => `${name} gave no readable score.`);
}

/** Reports that results are now by other rules, with the changed files; null if they are not. */
export function rescoredText({ rescored, changed, scored }: Pick<ScoringReport, 'rescored' | 'changed' | 'scored'>): string | null {
  const episodes = rescored === 0 && changed.length > 0 ? scored : rescored;
  if (episodes === 0) return null;
  const what = changed.length === 0 ? 'The suite or its scorers' : `${changed.length === 1 ? 'Scorer' : 'Scorers'} ${changed.join(', ')}`;
  return `${what} changed since: ${count(episodes, 'stored episode')} ${episodes === 1 ? 'is' : 'are'} scored again.`;
}
