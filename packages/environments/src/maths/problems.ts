/** @file Math problems with exact answers. Each kind writes its text, knows its solution as an expression, and can parse its text. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { calculate, rationalText } from './rational.ts';

export type MathsProblem = { readonly kind: string; readonly ask: string; readonly answer: string; readonly others: readonly string[] };

interface Kind {
  readonly level: number;
  write(dice: Rng): string;
  /** Returns the solution of a text of this kind, or null for another kind. */
  solve(text: string): string | null;
}

const within = (dice: Rng, from: number, to: number) => from + dice.int(to - from + 1);
const read = (text: string, form: RegExp) => form.exec(text)?.slice(1).map(Number) ?? null;

export const kinds: Readonly<Record<string, Kind>> = {
  arithmetic: {
    level: 1,
    write: (dice) => `Compute ${within(dice, 11, 99)} * (${within(dice, 50, 99)} - ${within(dice, 11, 49)}) + ${within(dice, 100, 999)}.`,
    solve: (text) => /^Compute (.+)\.$/.exec(text)?.[1] ?? null,
  },
  linear: {
    level: 1,
    write: (dice) => `Solve ${within(dice, 2, 19)} * x + ${within(dice, 1, 99)} = ${within(dice, 100, 500)} for x.`,
    solve(text) {
      const matches = read(text, /^Solve (\d+) \* x \+ (\d+) = (\d+) for x\.$/);
      return matches === null ? null : `(${matches[2]} - ${matches[1]}) / ${matches[0]}`;
    },
  },
  sum: {
    level: 1,
    write: (dice) => `Two numbers have the sum ${within(dice, 40, 400)} and the difference ${within(dice, 3, 39)}. What is the larger one?`,
    solve(text) {
      const matches = read(text, linear(/sum (\d+) and the difference (\d+)\./));
      return matches === null ? null : `(${matches[0]} + ${matches[1]}) / 2`;
    },
  },
  series: {
    level: 2,
    write: (dice) =>
      `A sequence starts with ${within(dice, 2, 30)} and every next term is ${within(dice, 2, 12)} more. What is the sum of its first ${within(dice, 10, 60)} terms?`,
    solve(text) {
      const matches = read(text, linear(/starts with (\d+) and every next term is (\d+) more\. What is the sum of its first (\d+) terms/));
      return matches === null ? null : `${matches[2]} * (2 * ${matches[0]} + (${matches[2]} - 1) * ${matches[1]}) / 2`;
    },
  },
  rates: {
    level: 2,
    write: (dice) =>
      `One pump fills a tank in ${within(dice, 3, 15)} hours, another in ${within(dice, 16, 30)} hours. In how many hours do both fill it together? Answer with a fraction.`,
    solve(text) {
      const matches = read(text, linear(/tank in (\d+) hours, another in (\d+) hours/));
      return matches === null ? null : `${matches[0]} * ${matches[1]} / (${matches[0]} + ${matches[1]})`;
    },
  },
  percent: {
    level: 2,
    write: (dice) =>
      `A price of ${within(dice, 4, 50) * 100} rises by ${within(dice, 1, 9) * 5} percent and then falls by ${within(dice, 1, 9) * 5} percent. What is it then?`,
    solve(text) {
      const matches = read(text, linear(/price of (\d+) rises by (\d+) percent and then falls by (\d+) percent/));
      return matches === null ? null : `${matches[0]} * (100 + ${matches[1]}) / 100 * (100 - ${matches[2]}) / 100`;
    },
  },
  remainder: {
    level: 3,
    write: (dice) =>
      `What remains when ${within(dice, 3, 19)} to the power of ${within(dice, 20, 60)} is divided by ${within(dice, 23, 97)}?`,
    solve(text) {
      const matches = read(text, linear(/when (\d+) to the power of (\d+) is divided by (\d+)/));
      return matches === null ? null : `${matches[0]} ^ ${matches[1]} mod ${matches[2]}`;
    },
  },
  choices: {
    level: 3,
    write: (dice) => `In how many ways can ${within(dice, 3, 5)} of ${within(dice, 9, 20)} different books be chosen?`,
    solve(text) {
      const matches = read(text, /can (\d+) of (\d+) different books/);
      if (matches === null) return null;
      const [k, n] = matches as [number, number];
      const factors = Array.from({ length: k }, (_, i) => [n - i, i + 1] as const);
      return `${factors.map(([over]) => over).join(' * ')} / (${factors.map(([, under]) => under).join(' * ')})`;
    },
  },
};

/** Returns the solution of a problem as an expression. */
export function solutionOf(ask: string): string {
  for (const { solve } of Object.values(kinds)) {
    const match = solve(ask);
    if (match !== null) return match;
  }
  return '0';
}

const otherSigns: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '^': '*', mod: '/' };

/** Returns candidate calculations for a problem, in alphabetical order: the correct one, and those with one sign changed. */
export function workingsOf(ask: string): readonly string[] {
  const right = solutionOf(ask);
  const slips = [...right.matchAll(/[-+*/^]|mod/g)].map(
    ({ index, 0: sign }) => right.slice(0, index) + otherSigns[sign] + right.slice(index + sign.length),
  );
  return [...new Set([right, ...slips])].sort();
}

/** Draws a problem. Its wrong answers are slightly off, or differ by a sign or a factor. */
export function makeProblem(level: number, wanted: string, dice: Rng): MathsProblem | null {
  const fitting = Object.keys(kinds).filter((kind) => (wanted === 'any' ? kinds[kind].level <= level : kind === wanted));
  const kind = dice.pick(fitting);
  const ask = kinds[kind].write(dice);
  const calculated = calculate(solutionOf(ask));
  if (!calculated.ok) return null;
  const { over, under } = calculated.value;
  const slips = [
    { over: over + under, under },
    { over: over - under, under },
    { over: over * 2n, under },
    { over: over + 10n * under, under },
    { over: under, under: over === 0n ? 1n : over },
  ];
  const answer = rationalText(calculated.value);
  const others = [
    ...new Set(
      dice
        .shuffle(slips)
        .map(({ over: a, under: b }) => calculate(`${a} / ${b}`))
        .flatMap((otherCalculated) => (otherCalculated.ok ? [rationalText(otherCalculated.value)] : [])),
    ),
  ].filter((item) => item !== answer);
  return others.length < 3 ? null : { kind, ask, answer, others: others.slice(0, 3) };
}
