/**
 * @file The gamma function and the incomplete gamma and beta integrals, from which every distribution here is made.
 *
 * The factors in front of the integrals are computed by Loader's saddle-point expansion (2000), not as differences of huge logarithms, so
 * that a million trials are as exact as ten.
 */

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

const halfLogTwoPi = 0.5 * Math.log(2 * Math.PI);

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum: number = lanczos[0];
  for (let i = 1; i < lanczos.length; i++) sum += lanczos[i] / (x - 1 + i);
  const t = x + 6.5;
  return halfLogTwoPi + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The remainder of Stirling's formula: ln Γ(x + 1) − (x + ½) ln x + x − ½ ln 2π. */
function stirlingRest(x: number): number {
  if (x < 16) return logGamma(x + 1) - (x + 0.5) * Math.log(x) + x - halfLogTwoPi;
  const s = 1 / (x * x);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / x;
}

/** x ln(x / m) + m − x, exact also where x and m are close. */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  let sum = (x - m) * v;
  let term = 2 * x * v;
  for (let j = 1; ; j++) {
    term *= v * v;
    const next = sum + term / (2 * j + 1);
    if (next === sum) return sum;
    sum = next;
  }
}

/** x^k e^−x / Γ(k + 1) for k > 0, x > 0: a Poisson probability whose count need not be whole. */
function poissonPoint(k: number, x: number): number {
  return Math.exp(-stirlingRest(k) - deviance(k, x)) / Math.sqrt(2 * Math.PI * k);
}

/** Γ(n + 1) / (Γ(k + 1) Γ(n − k + 1)) · p^k (1 − p)^(n − k): a binomial probability whose counts need not be whole. */
export function binomialPoint(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p === 0) return k === 0 ? 1 : 0;
  if (p === 1) return k === n ? 1 : 0;
  if (k === 0) return Math.exp(n * Math.log1p(-p));
  if (k === n) return Math.exp(n * Math.log(p));
  const rest = stirlingRest(n) - stirlingRest(k) - stirlingRest(n - k) - deviance(k, n * p) - deviance(n - k, n * (1 - p));
  return Math.exp(rest) * Math.sqrt(n / (2 * Math.PI * k * (n - k)));
}

/** The upper regularised incomplete gamma integral Q(a, x). */
export function gammaUpper(a: number, x: number): number {
  if (x <= 0) return 1;
  return x < a + 1 ? 1 - gammaSeries(a, x) : gammaFraction(a, x);
}

/** The lower regularised incomplete gamma integral P(a, x). */
export function gammaLower(a: number, x: number): number {
  if (x <= 0) return 0;
  return x < a + 1 ? gammaSeries(a, x) : 1 - gammaFraction(a, x);
}

function gammaSeries(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * poissonPoint(a, x);
}

function gammaFraction(a: number, x: number): number {
  const fraction = continuedFraction(
    (i) => (i === 0 ? 1 : -i * (i - a)),
    (i) => x + 2 * i + 1 - a,
  );
  return fraction * a * poissonPoint(a, x);
}

/** The regularised incomplete beta integral I_x(a, b). */
export function betaLower(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaLower(1 - x, b, a);
  const numerator = (i: number) => {
    if (i === 0) return 1;
    const m = Math.floor(i / 2);
    return i % 2 === 0
      ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
      : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  };
  return continuedFraction(numerator, () => 1) * binomialPoint(a, a + b, x) * (b / (a + b));
}

/** The continued fraction n₀ / (d₀ + n₁ / (d₁ + …)), by Lentz's method. */
function continuedFraction(numerator: (i: number) => number, denominator: (i: number) => number): number {
  const tiny = 1e-300;
  let value = tiny;
  let c = value;
  let d = 0;
  for (let i = 0; i < 1_000_000; i++) {
    const n = numerator(i);
    d = denominator(i) + n * d;
    d = 1 / (d === 0 ? tiny : d);
    c = denominator(i) + n / c;
    if (c === 0) c = tiny;
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return value;
}
