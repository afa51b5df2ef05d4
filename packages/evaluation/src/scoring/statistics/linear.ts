/** @file Symmetric positive matrices, by Cholesky: solve and invert. */

export type Matrix = readonly (readonly number[])[];

/** The lower triangle L with L Lᵀ = the matrix; null where the matrix is not positive definite. */
function cholesky(matrix: Matrix): number[][] | null {
  const lower: number[][] = [];
  for (let i = 0; i < matrix.length; i++) {
    const row: number[] = [];
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i][j];
      const other = j === i ? row : lower[j];
      for (let k = 0; k < j; k++) sum -= row[k] * other[k];
      // A pivot that is lost in rounding means the columns are dependent.
      if (j === i && !(sum > 1e-13 * Math.abs(matrix[i][i]))) return null;
      row.push(j === i ? Math.sqrt(sum) : sum / other[j]);
    }
    lower.push(row);
  }
  return lower;
}

function substitute(lower: readonly (readonly number[])[], right: readonly number[]): number[] {
  const n = right.length;
  const x = right.slice();
  for (let i = 0; i < n; i++) {
    const row = lower[i];
    for (let k = 0; k < i; k++) x[i] = x[i] - row[k] * x[k];
    x[i] = x[i] / row[i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] = x[i] - lower[k][i] * x[k];
    x[i] = x[i] / lower[i][i];
  }
  return x;
}

/** The x with matrix · x = right; null where the matrix is not positive definite. */
export function solveSymmetric(matrix: Matrix, right: readonly number[]): number[] | null {
  const lower = cholesky(matrix);
  return lower && substitute(lower, right);
}

export function invertSymmetric(matrix: Matrix): number[][] | null {
  const lower = cholesky(matrix);
  return (
    lower &&
    matrix.map((_, i) =>
      substitute(
        lower,
        matrix.map((_, j) => (i === j ? 1 : 0)),
      ),
    )
  );
}
