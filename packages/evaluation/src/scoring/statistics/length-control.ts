/**
 * @file The win rate that a judge would have given had both answers been of one length (after length-controlled AlpacaEval, Dubois and others
 * 2024).
 *
 * logit P(win) = strength + lengthWeight · tanh(Δlength / scale), where the scale is the standard deviation of Δlength. The controlled rate
 * sets Δlength to 0. Unlike the original there is no term for the difficulty of each instruction: it needs the results of many other models.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile } from './distributions.ts';
import { logistic, sigmoid } from './logistic.ts';
import { checkLevel, type Interval, mean, variance } from './mean.ts';

export interface LengthVerdict {
  /** 1 won, 0 lost, a half a tie, or a probability. */
  readonly win: number;
  /** How long this answer and the other one were, in the same unit. */
  readonly length: number;
  readonly otherLength: number;
}

/** A win rate with the effect of length taken out, and the regression behind it. */
export interface LengthControlled {
  readonly raw: number;
  readonly controlled: number;
  readonly interval: Interval;
  /** The intercept: log-odds of a win at equal length. */
  readonly strength: number;
  readonly strengthError: number;
  /** Above 0: the judge prefers longer answers. */
  readonly lengthWeight: number;
  readonly lengthError: number;
  /** The standard deviation of Δlength, in the unit of the lengths. */
  readonly scale: number;
  /** How strongly the length weight was pulled towards 0; 0 where the verdicts alone determine it. */
  readonly pull: number;
  readonly n: number;
}

/** Where length separates wins from losses without error, the weight has no finite estimate; this much pull gives it one. */
const usualPull = 0.2;

/** Throws where no regression is possible: fewer than three tasks, equal gaps, or nothing but wins or losses. */
export function lengthControlled(
  verdicts: readonly LengthVerdict[],
  options: { readonly level?: number; readonly pull?: number } = {},
): LengthControlled {
  if (verdicts.length < 3)
    throw new Fault(
      'input',
      `A length-controlled win rate needs verdicts on at least three tasks, but got ${verdicts.length}; repeats of a task count once.`,
    );
  const gaps = verdicts.map((verdict) => verdict.length - verdict.otherLength);
  const scale = Math.sqrt(variance(gaps));
  if (scale === 0) throw new Fault('input', 'A length-controlled win rate needs length differences that vary, but all are equal.');
  const wins = verdicts.map((verdict) => verdict.win);
  if (wins.every((win) => win === 1) || wins.every((win) => win === 0))
    throw new Fault('input', 'A length-controlled win rate needs both wins and losses, but all verdicts are the same.');
  const rows = gaps.map((gap) => [1, Math.tanh(gap / scale)]);
  const { coefficients, covariance, pull } = fitLength(rows, wins, options.pull);
  const [strength, lengthWeight] = coefficients as readonly [number, number];
  const [strengthError, lengthError] = [0, 1].map((j) => Math.sqrt(covariance[j][j])) as [number, number];
  const half = normalQuantile(0.5 + checkLevel(options.level ?? 0.95) / 2) * strengthError;
  return {
    raw: mean(wins),
    controlled: sigmoid(strength),
    interval: [sigmoid(strength - half), sigmoid(strength + half)],
    ...{ strength, strengthError, lengthWeight, lengthError, scale, pull, n: verdicts.length },
  };
}

/** Without a pull where that has a finite answer. */
function fitLength(rows: readonly (readonly number[])[], wins: readonly number[], pull: number | undefined) {
  if (pull !== undefined) return { ...logistic(rows, wins, [0, pull]), pull };
  try {
    return { ...logistic(rows, wins), pull: 0 };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { ...logistic(rows, wins, [0, usualPull]), pull: usualPull };
  }
}
