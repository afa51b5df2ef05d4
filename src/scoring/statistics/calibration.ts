/** @file Calibration: whether predictions of 80 % come true eight times in ten. Brier, log loss, reliability bins, ECE. */

import { Fault } from '../../core/index.ts';

export interface Forecast {
  /** From 0 to 1. */
  readonly confidence: number;
  readonly correct: boolean;
}

/** Forecasts whose confidence lies from `low` up to but without `high`; the last bin includes its end. */
export interface Bin {
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Null in an empty bin. */
  readonly confidence: number | null;
  readonly accuracy: number | null;
}

export interface Calibration {
  readonly n: number;
  readonly brier: number;
  readonly logLoss: number;
  /** Expected calibration error: the gap between confidence and accuracy, averaged over forecasts by bin. */
  readonly ece: number;
  /** Mean confidence − accuracy: above 0 is too sure. */
  readonly overconfidence: number;
  readonly bins: readonly Bin[];
}

const tenths = Array.from({ length: 11 }, (_, i) => i / 10);

/** `edges` bound the bins, rising; a certain forecast that fails costs the log of 10^−15 rather than everything. */
export function calibration(forecasts: readonly Forecast[], edges: readonly number[] = tenths): Calibration {
  if (forecasts.length === 0) throw new Fault('input', 'Calibration needs at least one forecast, but none came.');
  for (const { confidence } of forecasts)
    if (!(confidence >= 0 && confidence <= 1))
      throw new Fault('input', `A confidence lies from 0 to 1, but ${confidence} came; divide percentages by 100.`);
  const n = forecasts.length;
  const bins = binsOf(forecasts, edges);
  const binned = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (binned < n)
    throw new Fault('input', `Every forecast must fall into a bin, but ${n - binned} of ${n} fall outside ${edges[0]} to ${edges.at(-1)}.`);
  const over = (cost: (forecast: Forecast, outcome: number) => number) =>
    forecasts.reduce((sum, forecast) => sum + cost(forecast, forecast.correct ? 1 : 0), 0) / n;
  return {
    n,
    brier: over(({ confidence }, outcome) => (confidence - outcome) ** 2),
    logLoss: over(({ confidence }, outcome) => -Math.log(Math.max(1e-15, outcome === 1 ? confidence : 1 - confidence))),
    ece: bins.reduce((sum, bin) => sum + (bin.n / n) * Math.abs((bin.confidence ?? 0) - (bin.accuracy ?? 0)), 0),
    overconfidence: over(({ confidence }, outcome) => confidence - outcome),
    bins,
  };
}

function binsOf(forecasts: readonly Forecast[], edges: readonly number[]): Bin[] {
  return edges.slice(1).map((high, i) => {
    const low = edges[i] as number;
    if (!(high > low)) throw new Fault('input', `Bin edges must rise, but ${low} is followed by ${high}.`);
    const last = i === edges.length - 2;
    const inside = forecasts.filter(({ confidence }) => confidence >= low && (confidence < high || (last && confidence === high)));
    const n = inside.length;
    if (n === 0) return { low, high, n, confidence: null, accuracy: null };
    const confidence = inside.reduce((sum, forecast) => sum + forecast.confidence, 0) / n;
    return { low, high, n, confidence, accuracy: inside.filter((forecast) => forecast.correct).length / n };
  });
}
