/** @file Logistic regression by Newton's method, with an optional pull of the coefficients towards 0 (a ridge penalty). */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { invertSymmetric, type Matrix, solveSymmetric } from './linear.ts';

export interface LogisticFit {
  readonly coefficients: readonly number[];
  readonly covariance: Matrix;
  readonly logLikelihood: number;
}

export function sigmoid(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}

/** ln(1 + e^x) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

/**
 * Finds the weights of the columns of `rows` (give a column of ones for the intercept) that make `outcomes` likeliest. An outcome is 0, 1, or a
 * share between. `pull[j]`, if given, costs pull/2 · weight².
 */
export function logistic(rows: Matrix, outcomes: readonly number[], pull: readonly number[] = []): LogisticFit {
  const width = rows[0]?.length ?? 0;
  if (rows.length === 0 || rows.length !== outcomes.length)
    throw new Fault(
      'input',
      `A regression needs one outcome for each row and at least one row, got ${rows.length} rows and ${outcomes.length} outcomes.`,
    );
  let coefficients = new Array<number>(width).fill(0);
  let value = objective(rows, outcomes, { coefficients, pull });
  for (let iteration = 0; iteration < 100; iteration++) {
    const { gradient, curvature } = derivatives(rows, outcomes, { coefficients, pull });
    const step = solveSymmetric(curvature, gradient);
    if (step === null) break;
    let size = 1;
    let next = moveAlong(coefficients, step, size);
    let reached = objective(rows, outcomes, { coefficients: next, pull });
    while (reached < value && size > 1e-10) {
      size /= 2;
      next = moveAlong(coefficients, step, size);
      reached = objective(rows, outcomes, { coefficients: next, pull });
    }
    const isSettled = step.every((change, j) => Math.abs(size * change) <= 1e-11 * (1 + Math.abs(next[j] as number)));
    coefficients = next;
    value = reached;
    if (!isSettled) continue;
    const covariance = invertSymmetric(derivatives(rows, outcomes, { coefficients, pull }).curvature);
    if (covariance !== null) return { coefficients, covariance, logLikelihood: value };
    break;
  }
  throw new Fault(
    'input',
    'The regression has no finite answer: its columns depend on each other, or separate the outcomes without error. Give more varied data, or set a pull above 0.',
  );
}

interface Point {
  readonly coefficients: readonly number[];
  readonly pull: readonly number[];
}

function moveAlong(from: readonly number[], step: readonly number[], size: number): number[] {
  return from.map((x, j) => x + size * (step[j] as number));
}

function dot(row: readonly number[], coefficients: readonly number[]): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += (row[j] as number) * (coefficients[j] as number);
  return sum;
}

function objective(rows: Matrix, outcomes: readonly number[], { coefficients, pull }: Point): number {
  let sum = 0;
  rows.forEach((row, i) => {
    const x = dot(row, coefficients);
    sum += (outcomes[i] as number) * x - softplus(x);
  });
  coefficients.forEach((weight, j) => {
    sum -= 0.5 * (pull[j] ?? 0) * weight * weight;
  });
  return sum;
}

function derivatives(
  rows: Matrix,
  outcomes: readonly number[],
  { coefficients, pull }: Point,
): { gradient: number[]; curvature: number[][] } {
  const gradient = coefficients.map((weight, j) => -(pull[j] ?? 0) * weight);
  const curvature = coefficients.map((_, j) => coefficients.map((_, k) => (j === k ? (pull[j] ?? 0) : 0)));
  rows.forEach((row, i) => {
    const chance = sigmoid(dot(row, coefficients));
    const spread = chance * (1 - chance);
    for (let j = 0; j < row.length; j++) {
      const at = row[j] as number;
      gradient[j] = (gradient[j] as number) + ((outcomes[i] as number) - chance) * at;
      const sums = curvature[j] as number[];
      for (let k = 0; k < row.length; k++) sums[k] = (sums[k] as number) + spread * at * (row[k] as number);
    }
  });
  return { gradient, curvature };
}
