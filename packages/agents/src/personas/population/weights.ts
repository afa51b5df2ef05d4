/** @file Weights of a sample: raked to the margins of a population, with their loss of precision and the remaining deviation. */

import type { Margin } from './specification.ts';

type Row = Readonly<Record<string, string>>;

export interface SampleWeights {
  /** One for each person; their mean is 1. */
  readonly weights: readonly number[];
  /** n Σw² / (Σw)²: how many times larger a sample with these weights must be than one without (Kish). */
  readonly designEffect: number;
  /** The size of an unweighted sample with the same precision. */
  readonly effective: number;
  /** The largest deviation of a weighted share from its target. */
  readonly error: number;
}

const rounds = 500;

/**
 * Weights that give a sample the shares of the margins, computed by cycling over them. A value without people in the sample cannot be
 * weighted up: its share stays missing, and `error` contains the deviation.
 */
export function rakeWeights(rows: readonly Row[], margins: readonly Margin[], base?: readonly number[]): SampleWeights {
  const n = rows.length;
  const weights = Float64Array.from(rows, (_, i) => base?.[i] ?? 1);
  const groups = margins.map((margin) => {
    const index = new Map(margin.cells.map((cell, i) => [cell.values.join('\u0000'), i]));
    return { of: rows.map((row) => index.get(margin.of.map((name) => row[name]).join('\u0000')) ?? -1), margin };
  });
  let error = Infinity;
  for (let round = 0; round < rounds && error > 1e-10; round++) {
    error = 0;
    for (const { of, margin } of groups) {
      const sums = sumsOf(of, weights, margin.cells.length);
      const total = sums.reduce((sum, value) => sum + value, 0);
      margin.cells.forEach((cell, i) => {
        error = Math.max(error, Math.abs(cell.share - sums[i] / total));
      });
      of.forEach((i, at) => {
        if (i < 0 || sums[i] === 0) return;
        weights[at] = (weights[at] * margin.cells[i].share * n) / sums[i];
      });
    }
  }
  const total = weights.reduce((sum, value) => sum + value, 0);
  const squares = weights.reduce((sum, value) => sum + value * value, 0);
  const designEffect = total === 0 ? 1 : (n * squares) / total ** 2;
  return {
    weights: Array.from(weights, (value) => (value * n) / total),
    designEffect,
    effective: n / designEffect,
    error: error === Infinity ? 0 : error,
  };
}

function sumsOf(of: readonly number[], weights: Float64Array, groups: number): Float64Array {
  const sums = new Float64Array(groups);
  of.forEach((i, at) => {
    if (i >= 0) sums[i] = sums[i] + weights[at];
  });
  return sums;
}

/** n Σw² / (Σw)², and the effective sample size. */
export function kish(weights: readonly number[]): { readonly designEffect: number; readonly effective: number } {
  const total = weights.reduce((sum, value) => sum + value, 0);
  const squares = weights.reduce((sum, value) => sum + value * value, 0);
  return { designEffect: (weights.length * squares) / total ** 2, effective: total ** 2 / squares };
}

/**
 * The distance of two lists of shares, in standard deviations: √(d′ S⁻¹ d) over all but one level, S the mean of the two multinomial
 * covariances. For two levels it is the usual (p − q) / √((p(1 − p) + q(1 − q)) / 2). Above 0.1 deserves attention.
 */
export function standardisedDifference(p: readonly number[], q: readonly number[]): number {
  const retained = p.map((_, i) => i).filter((i) => p[i] > 0 || q[i] > 0);
  const levels = retained.slice(0, -1);
  const d = levels.map((i) => p[i] - q[i]);
  if (d.every((value) => Math.abs(value) < 1e-15)) return 0;
  const cell = (i: number, j: number, shares: readonly number[]) => (i === j ? shares[i] * (1 - shares[i]) : -shares[i] * shares[j]);
  const matrix = levels.map((i) => levels.map((j) => (cell(i, j, p) + cell(i, j, q)) / 2));
  const solved = solve(matrix, d);
  return solved === null
    ? Infinity
    : Math.sqrt(
        Math.max(
          0,
          d.reduce((sum, value, i) => sum + value * solved[i], 0),
        ),
      );
}

/** x with A x = b, by elimination with pivots; null if A has no inverse. */
function solve(matrix: readonly (readonly number[])[], b: readonly number[]): number[] | null {
  const rows = matrix.map((row, i) => [...row, b[i]]);
  const n = rows.length;
  for (let at = 0; at < n; at++) {
    let best = at;
    for (let i = at + 1; i < n; i++) if (Math.abs(rows[i][at]) > Math.abs(rows[best][at])) best = i;
    const pivot = rows[best];
    if (Math.abs(pivot[at]) < 1e-14) return null;
    [rows[at], rows[best]] = [pivot, rows[at]];
    for (let i = 0; i < n; i++) {
      if (i === at) continue;
      const row = rows[i];
      const factor = row[at] / pivot[at];
      for (let k = at; k <= n; k++) row[k] = row[k] - factor * pivot[k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}
