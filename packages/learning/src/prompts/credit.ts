/**
 * @file Measures what each entry contributes: play with a random half of them at a time, then solve by least squares.
 *
 * Counting an entry's presence in good episodes cannot separate entries that always occur together. Dropping each with probability one half
 * can.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

/** Whether each entry is included, each with probability one half. */
export function drawHalf(entries: number, dice: Rng): readonly boolean[] {
  return Array.from({ length: entries }, () => dice.int(2) === 1);
}

export interface Effect {
  readonly effect: number;
  readonly error: number;
}

/** The effect of each entry on the score by least squares with a constant, and its standard error. Null if there are too few scores. */
export function effectsOf(rows: readonly (readonly boolean[])[], scores: readonly number[]): readonly Effect[] | null {
  const entries = rows[0]?.length ?? 0;
  const size = entries + 1;
  if (rows.length <= size) return null;
  const x = rows.map((row) => [1, ...row.map((on) => (on ? 1 : 0))]);
  const gram = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => x.reduce((sum, row) => sum + row[i] * row[j], i === j ? 1e-9 : 0)),
  );
  const inverse = invertMatrix(gram);
  if (inverse === null) return null;
  const moment = Array.from({ length: size }, (_, i) => x.reduce((sum, row, k) => sum + row[i] * scores[k], 0));
  const matches = inverse.map((row) => row.reduce((sum, value, i) => sum + value * moment[i], 0));
  const left = x.map((row, k) => scores[k] - row.reduce((sum, value, i) => sum + value * matches[i], 0));
  const variance = left.reduce((sum, value) => sum + value ** 2, 0) / (rows.length - size);
  return matches.slice(1).map((effect, i) => ({ effect, error: Math.sqrt(variance * Math.max(0, inverse[i + 1][i + 1])) }));
}

/** Inverts a matrix by Gauss-Jordan elimination with partial pivoting; null if it is singular. */
function invertMatrix(matrix: readonly (readonly number[])[]): readonly number[][] | null {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => (i === j ? 1 : 0))]);
  for (let at = 0; at < size; at++) {
    let best = at;
    for (let i = at + 1; i < size; i++) if (Math.abs(rows[i]?.[at] as number) > Math.abs(rows[best]?.[at] as number)) best = i;
    const pivot = rows[best][at];
    if (Math.abs(pivot) < 1e-12) return null;
    [rows[at], rows[best]] = [rows[best], rows[at]];
    rows[at] = rows[at].map((value) => value / pivot);
    for (let i = 0; i < size; i++) {
      if (i === at) continue;
      const factor = rows[i][at];
      if (factor !== 0) rows[i] = rows[i].map((value, j) => value - factor * rows[at][j]);
    }
  }
  return rows.map((row) => row.slice(size));
}
