/** @file Ridge regression: least squares with a small penalty on large weights. */

/** One target with its features and weight. */
export interface FittedPoint {
  readonly features: readonly number[];
  readonly target: number;
  readonly weight: number;
}

/** The weights w that minimize Σ weight·(target − w·features)² + price·w². */
export function ridge(points: readonly FittedPoint[], size: number, price: number): readonly number[] {
  const rows = Array.from({ length: size }, (_, i) => new Float64Array(size + 1).fill(0).map((_zero, j) => (i === j ? price : 0)));
  for (const { features, target, weight } of points)
    for (let i = 0; i < size; i++) {
      const scaled = weight * features[i];
      if (scaled === 0) continue;
      const row = rows[i];
      for (let j = 0; j < size; j++) row[j] += scaled * features[j];
      row[size] += scaled * target;
    }
  return solve(rows, size);
}

/** Solves a symmetric positive system by elimination; the last column is the right-hand side. */
function solve(rows: readonly Float64Array[], size: number): readonly number[] {
  for (let k = 0; k < size; k++)
    for (let i = k + 1; i < size; i++) {
      const share = rows[i][k] / rows[k][k];
      if (share === 0) continue;
      for (let j = k; j <= size; j++) rows[i][j] -= share * rows[k][j];
    }
  const out = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    let left = rows[i][size];
    for (let j = i + 1; j < size; j++) left -= rows[i][j] * out[j];
    out[i] = left / rows[i][i];
  }
  return out;
}
