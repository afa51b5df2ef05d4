/** @file The normal, t, chi-square, beta and binomial distributions: probabilities, tails and quantiles. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { betaLower, binomialPoint, gammaLower, gammaUpper, logGamma } from './gamma.ts';

export { binomialPoint };

/** The density of the standard normal. */
export function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/** P(Z ≤ x), with full relative accuracy far out on the left. */
export function normalCdf(x: number): number {
  const tail = 0.5 * gammaUpper(0.5, 0.5 * x * x);
  return x < 0 ? tail : 1 - tail;
}

export function normalQuantile(p: number): number {
  checkChance(p);
  if (p > 0.5) return -normalQuantile(1 - p);
  return p === 0.5 ? 0 : solve({ cdf: normalCdf, density: normalDensity, p, low: -40, high: 0 });
}

/** P(T ≤ x) at `df` degrees of freedom; infinitely many are the normal. */
export function tCdf(x: number, df: number): number {
  if (df === Infinity) return normalCdf(x);
  const square = x * x;
  // Each branch computes the integral whose value is not close to 1, to avoid cancellation.
  const tail = square < df ? 0.5 - 0.5 * betaLower(square / (df + square), 0.5, df / 2) : 0.5 * betaLower(df / (df + square), df / 2, 0.5);
  return x < 0 ? tail : 1 - tail;
}

export function tQuantile(p: number, df: number): number {
  checkChance(p);
  if (df === Infinity) return normalQuantile(p);
  if (p > 0.5) return -tQuantile(1 - p, df);
  if (p === 0.5) return 0;
  let low = -1;
  while (tCdf(low, df) > p) low *= 2;
  const scale = Math.exp(logGamma((df + 1) / 2) - logGamma(df / 2)) / Math.sqrt(df * Math.PI);
  const density = (x: number) => scale * (1 + (x * x) / df) ** (-(df + 1) / 2);
  return solve({ cdf: (x) => tCdf(x, df), density, p, low, high: 0 });
}

/** The chance of a t at least this far from 0 on either side. */
export function tTwoSided(x: number, df: number): number {
  return 2 * tCdf(-Math.abs(x), df);
}

export function chiSquareCdf(x: number, df: number): number {
  return gammaLower(df / 2, x / 2);
}

/** P(X > x), with full relative accuracy far out on the right. */
export function chiSquareTail(x: number, df: number): number {
  return gammaUpper(df / 2, x / 2);
}

export function chiSquareQuantile(p: number, df: number): number {
  checkChance(p);
  let high = df + 1;
  while (chiSquareCdf(high, df) < p) high *= 2;
  return solve({ cdf: (x) => chiSquareCdf(x, df), p, low: 0, high });
}

export function betaCdf(x: number, a: number, b: number): number {
  return betaLower(x, a, b);
}

export function betaQuantile(p: number, a: number, b: number): number {
  checkChance(p);
  return solve({ cdf: (x) => betaLower(x, a, b), p, low: 0, high: 1 });
}

/** P(K ≤ k) for K successes in n trials. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  const whole = Math.floor(k);
  return betaLower(1 - p, n - whole, whole + 1);
}

interface Crossing {
  readonly cdf: (x: number) => number;
  readonly density?: (x: number) => number;
  readonly p: number;
  readonly low: number;
  readonly high: number;
}

/** The x between `low` and `high` at which an increasing function reaches p: Newton's steps where they help, halving where they do not. */
function solve({ cdf, density, p, low, high }: Crossing): number {
  let x = (low + high) / 2;
  let last = high - low;
  for (let i = 0; i < 2000; i++) {
    const miss = cdf(x) - p;
    if (miss === 0) return x;
    if (miss > 0) high = x;
    else low = x;
    const slope = density?.(x) ?? 0;
    const newton = x - miss / slope;
    // A Newton step must stay inside and at least halve the step before, or a flat tail would be crept along for ever.
    const useful = newton > low && newton < high && Math.abs(newton - x) < 0.5 * Math.abs(last);
    const next = useful ? newton : (low + high) / 2;
    last = next - x;
    if (next === x || Math.abs(last) <= 1e-16 * Math.abs(x)) return next;
    x = next;
  }
  return x;
}

function checkChance(p: number): void {
  if (!(p > 0 && p < 1)) throw new Fault('input', `A quantile needs a probability between 0 and 1, but got ${p}.`);
}
