/** @file Pearson's chi-square test of counts against target shares, with its p-value from the regularised incomplete gamma function. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export interface Fit {
  readonly statistic: number;
  /** The number of cells with a target above zero, minus one. */
  readonly degrees: number;
  /** The probability that a sampler with the target distribution fits this badly or worse. */
  readonly p: number;
  /** True if some expected count is below five, so p is only a rough guide. */
  readonly small: boolean;
}

/** How well counts fit weights, which need not sum to one. A count in a cell with target zero gives no fit. */
export function chiSquare(counts: readonly number[], weights: readonly number[]): Fit {
  const total = sum(counts);
  const whole = sum(weights);
  if (counts.length !== weights.length || !(whole > 0))
    throw new Fault(
      'input',
      `A fit needs one weight for each count and some weight above 0, but got ${counts.length} counts and ${weights.length} weights.`,
    );
  let statistic = 0;
  let cells = 0;
  let small = false;
  weights.forEach((weight, i) => {
    const expected = (weight / whole) * total;
    const count = counts[i];
    if (expected === 0) {
      if (count > 0) statistic = Infinity;
      return;
    }
    cells++;
    small ||= expected < 5;
    statistic += (count - expected) ** 2 / expected;
  });
  const degrees = Math.max(0, cells - 1);
  return { statistic, degrees, p: statistic === Infinity ? 0 : degrees === 0 ? 1 : upperGamma(degrees / 2, statistic / 2), small };
}

/** Q(a, x), the upper regularised incomplete gamma function: a series below x = a + 1, a continued fraction above. */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let total = term;
    for (let n = 1; n < 10_000 && term > total * 1e-16; n++) {
      term *= x / (a + n);
      total += term;
    }
    return Math.max(0, 1 - front * total);
  }
  // Lentz's method, which keeps numerator and denominator of the fraction from becoming zero.
  const tiny = 1e-300;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 10_000; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b || tiny);
    c = b + numerator / c || tiny;
    const step = c * d;
    fraction *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return front * fraction;
}

/** ln Γ(x) for x > 0, by Lanczos' approximation with g = 7. */
function logGamma(x: number): number {
  const [first, ...rest] = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ] as [number, ...number[]];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  const series = rest.reduce((total, coefficient, i) => total + coefficient / (shifted + i + 1), first);
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(series);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
