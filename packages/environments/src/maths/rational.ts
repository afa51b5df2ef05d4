/** @file Exact arithmetic: expressions over fractions of any size, with powers and remainders. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export type Rational = { readonly over: bigint; readonly under: bigint };

export type Calculated = { readonly ok: true; readonly value: Rational } | { readonly ok: false; readonly problem: string };

const mostBits = 4096;

function rational(over: bigint, under = 1n): Rational {
  let [a, b] = [over < 0n ? -over : over, under < 0n ? -under : under];
  while (b !== 0n) [a, b] = [b, a % b];
  const sign = under < 0n ? -1n : 1n;
  return a === 0n ? { over: 0n, under: 1n } : { over: (sign * over) / a, under: (sign * under) / a };
}

export function rationalText({ over, under }: Rational): string {
  return under === 1n ? String(over) : `${over}/${under}`;
}

/** Parses an integer, a fraction such as 3/4, or a decimal such as 0.75. Returns null for anything else. */
export function readRational(text: string): Rational | null {
  const fraction = linear(/^\s*(-?\d{1,1000})\s*\/\s*(\d{1,1000})\s*$/).exec(text);
  if (fraction !== null) return BigInt(fraction[2]) === 0n ? null : rational(BigInt(fraction[1]), BigInt(fraction[2]));
  const decimal = /^\s*(-?)(\d{1,1000})(?:\.(\d{1,200}))?\s*$/.exec(text);
  if (decimal === null) return null;
  const [, sign, whole, part = ''] = decimal as unknown as [string, string, string, string | undefined];
  return rational(BigInt(`${sign}${whole}${part}`), 10n ** BigInt(part.length));
}

class Problem extends Error {}

/** Returns the value of an expression with + - * / ^ mod and parentheses. */
export function calculate(text: string): Calculated {
  const tokens = text.match(/\d+(?:\.\d+)?|mod|[-+*/^()]|\S/g) ?? [];
  let at = 0;
  let depth = 0;
  const fail = (problem: string): never => {
    throw new Problem(problem);
  };
  const sum = (): Rational => {
    let left = product();
    while (tokens[at] === '+' || tokens[at] === '-') {
      const sign = tokens[at++] === '+' ? 1n : -1n;
      const right = product();
      left = checkSize(rational(left.over * right.under + sign * right.over * left.under, left.under * right.under));
    }
    return left;
  };
  const product = (): Rational => {
    let left = parseSigned();
    for (;;) {
      const sign = tokens[at];
      if (sign !== '*' && sign !== '/' && sign !== 'mod') return left;
      at++;
      const right = parseSigned();
      if (sign !== '*' && right.over === 0n) fail('It divides by zero.');
      if (sign === '*') left = checkSize(rational(left.over * right.over, left.under * right.under));
      else if (sign === '/') left = checkSize(rational(left.over * right.under, left.under * right.over));
      else {
        if (left.under !== 1n || right.under !== 1n) fail('mod takes whole numbers.');
        left = rational(((left.over % right.over) + right.over) % right.over);
      }
    }
  };
  const parseSigned = (): Rational => {
    if (tokens[at] !== '-') return power();
    at++;
    if (++depth > 200) fail('It is nested too deeply.');
    const { over, under } = parseSigned();
    return { over: -over, under };
  };
  const power = (): Rational => {
    const base = atom();
    if (tokens[at] !== '^') return base;
    at++;
    if (++depth > 200) fail('It is nested too deeply.');
    const exponent = parseSigned();
    const bits = base.over.toString(2).length + base.under.toString(2).length;
    if (exponent.under !== 1n || exponent.over < 0n || exponent.over * BigInt(bits) > BigInt(mostBits))
      fail('A power must be whole, not negative, and not so large.');
    return rational(base.over ** exponent.over, base.under ** exponent.over);
  };
  const atom = (): Rational => {
    const token = tokens[at++];
    if (token === '(') {
      if (++depth > 200) fail('It is nested too deeply.');
      const inside = sum();
      if (tokens[at++] !== ')') fail('A closing bracket is missing.');
      return inside;
    }
    return readRational(token ?? '') ?? fail(`"${(token ?? 'the end').slice(0, 20)}" is not understood.`);
  };
  const checkSize = (value: Rational): Rational => {
    if (value.over.toString(2).length + value.under.toString(2).length > mostBits * 2) fail('The number is too large.');
    return value;
  };
  try {
    const value = sum();
    return at < tokens.length ? { ok: false, problem: `"${tokens[at].slice(0, 20)}" is not understood.` } : { ok: true, value };
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    return { ok: false, problem: thrown.message };
  }
}
