/** @file Hidden rules to discover by experiments: how strings are joined, which paintings a code counts, and the digits of a function. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

/**
 * A puzzle with a complete list of experiments and answers. `results` contains what each experiment shows; `hidden` determines the answer.
 */
export type Puzzle = {
  readonly kind: string;
  readonly brief: string;
  readonly tries: readonly string[];
  readonly results: readonly string[];
  readonly answers: readonly string[];
  readonly answer: string;
};

/** Rules for the reaction of two strings. */
export const reactions: Readonly<Record<string, (a: string, b: string) => string>> = {
  concatenate: (a, b) => a + b,
  reverse: (a, b) => b + a,
  insert: (a, b) => a.slice(0, a.length >> 1) + b + a.slice(a.length >> 1),
  prefix: (a, b) => b[0] + a.slice(1),
  mirror: (a, b) => a + [...b].reverse().join(''),
  interleave: (a, b) => [...a].map((sign, i) => sign + (b[i] ?? '')).join('') + b.slice(a.length),
};

const substances = ['AB', 'CD', 'EF', 'GH', 'KLM', 'PQR'];

export function reactor(rules: number, dice: Rng): Puzzle {
  const knownKeys = Object.keys(reactions).slice(0, rules);
  const rule = reactions[dice.pick(knownKeys)];
  const [first, second, ...free] = dice.shuffle(substances.slice(0, 4)) as [string, string, ...string[]];
  const pairs = [first, second, ...free].flatMap((a) => free.map((b) => [a, b] as const)).filter(([a, b]) => a !== b);
  const products = [...new Set(knownKeys.map((name) => reactions[name](first, second)))];
  return {
    kind: 'reactor',
    brief: `A reactor makes one string of two, always by the same hidden rule; it is one of ${knownKeys.join(', ')}. What does it make of ${first} and ${second}?`,
    tries: pairs.map(([a, b]) => `join ${a} ${b}`),
    results: pairs.map(([a, b]) => `It makes ${rule(a, b)}.`),
    answers: products.sort(),
    answer: rule(first, second),
  };
}

const techniques = ['watercolour', 'oil', 'acrylic'];
const paints = ['blue', 'red', 'green'];

export type Painting = { readonly technique: string; readonly colour: string };

/** Returns a code whose digits are the numbers of watercolors, oils, and acrylics of one color. */
export function codeOf(paintings: readonly Painting[], colour: string): string {
  return techniques
    .map((technique) => paintings.filter((painting) => painting.technique === technique && painting.colour === colour).length)
    .join('');
}

export function escapeRoom(count: number, dice: Rng): Puzzle {
  const paintings = Array.from({ length: count }, (): Painting => ({ technique: dice.pick(techniques), colour: dice.pick(paints) }));
  const colour = dice.pick(paints);
  const answer = codeOf(paintings, colour);
  const near = new Set<string>();
  for (let i = 0; i < 3; i++)
    for (const by of [1, -1, 2])
      near.add([...answer].map((digit, n) => (n === i ? String(Math.max(0, Number(digit) + by)) : digit)).join(''));
  near.delete(answer);
  return {
    kind: 'escape',
    brief: `A room has ${count} paintings, and a door whose code has three digits: how many of the ${colour} paintings are watercolours, how many are oils, how many are acrylics. What is the code?`,
    tries: paintings.map((_, i) => `look ${i + 1}`),
    results: paintings.map(({ technique, colour: paint }, i) => `Painting ${i + 1} is ${technique}, ${paint}.`),
    answers: [answer, ...dice.shuffle([...near]).slice(0, 5)].sort(),
    answer,
  };
}

/** Terms of a function; each has a digit as its coefficient. */
const terms: Readonly<Record<string, (x: number) => number>> = {
  '1': () => 1,
  x: (x) => x,
  'x^2': (x) => x * x,
  '|x|': (x) => Math.abs(x),
  'sin x': (x) => Math.sin(x),
  '1/x': (x) => 1 / x,
};

export const inputs = [-3, -2, -1, 1, 2, 3] as const;

export function valueAt(names: readonly string[], digits: readonly number[], x: number): string {
  const value = names.reduce((sum, name, i) => sum + digits[i] * terms[name](x), 0);
  return String(Math.round(value * 1000) / 1000 + 0);
}

/** Inputs are within three of zero, because an input of ten would reveal all digits of a polynomial at once. */
export function functionOperator(count: number, dice: Rng): Puzzle {
  const names = dice.shuffle(Object.keys(terms)).slice(0, count);
  const digits = names.map(() => dice.int(10));
  const text = (subset: readonly number[]) => subset.join(' ');
  const others = new Set<string>();
  while (others.size < 7) others.add(text(digits.map((digit, i) => (dice.int(2) === 0 || i === 0 ? dice.int(10) : digit))));
  others.delete(text(digits));
  return {
    kind: 'function',
    brief: `A machine computes f(x) = ${names.map((name, i) => `${'abc'[i]} * ${name}`).join(' + ')} with hidden digits ${'abc'.slice(0, count).split('').join(', ')} from 0 to 9. Which digits are they, in this order?`,
    tries: inputs.map((x) => `try ${x}`),
    results: inputs.map((x) => `f(${x}) = ${valueAt(names, digits, x)}`),
    answers: [text(digits), ...[...others].slice(0, 5)].sort(),
    answer: text(digits),
  };
}
