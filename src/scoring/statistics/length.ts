/**
 * @file The win rate a judge would have given had both answers been of one length (after length-controlled AlpacaEval, Dubois and others 2024).
 *
 * logit P(win) = strength + weight · tanh(Δlength / sd); the controlled rate sets Δlength to 0. Unlike the original there is no term for the
 * difficulty of each instruction: it needs the results of many other models.
 */

import { Fault } from '../../core/index.ts';
import { normalQuantile } from './distributions.ts';
import { logistic, sigmoid } from './logistic.ts';
import { checkLevel, type Interval, mean, variance } from './mean.ts';

export interface LengthVerdict {
  /** 1 won, 0 lost, a half a tie, or a probability. */
  readonly win: number;
  /** How long the own and the other answer were, in whatever unit. */
  readonly length: number;
  readonly otherLength: number;
}

export interface LengthControlled {
  readonly raw: number;
  readonly controlled: number;
  readonly interval: Interval;
  /** Above 0: the judge likes length. */
  readonly lengthWeight: number;
  readonly lengthError: number;
  readonly n: number;
}

/** `pull` above 0 shrinks the length weight towards 0, which few or one-sided verdicts need. */
export function lengthControlled(
  verdicts: readonly LengthVerdict[],
  options: { readonly level?: number; readonly pull?: number } = {},
): LengthControlled {
  if (verdicts.length < 3)
    throw new Fault('input', `A length-controlled win rate needs three verdicts or more, but ${verdicts.length} came.`);
  const gaps = verdicts.map((verdict) => verdict.length - verdict.otherLength);
  const deviation = Math.sqrt(variance(gaps));
  if (deviation === 0)
    throw new Fault('input', 'A length-controlled win rate needs lengths that vary, but all gaps are equal; report the raw rate.');
  const { level = 0.95, pull = 0 } = options;
  const wins = verdicts.map((verdict) => verdict.win);
  const { coefficients, covariance } = logistic(
    gaps.map((gap) => [1, Math.tanh(gap / deviation)]),
    wins,
    [0, pull],
  );
  const [strength, lengthWeight] = coefficients as readonly [number, number];
  const half = normalQuantile(0.5 + checkLevel(level) / 2) * Math.sqrt(covariance[0]?.[0] as number);
  return {
    raw: mean(wins),
    controlled: sigmoid(strength),
    interval: [sigmoid(strength - half), sigmoid(strength + half)],
    lengthWeight,
    lengthError: Math.sqrt(covariance[1]?.[1] as number),
    n: verdicts.length,
  };
}
