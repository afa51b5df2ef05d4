/** @file Numbers as actions: parsed from an answer's data or its brackets, with a few samples for agents that choose from a list. */

import { type Action, type Ask, type Json, type ParsedMove, parseBracketed, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** By count, then by text, because agents that choose from a list give the same few answers. */
const knownEntries: Map<string, ParsedMove<readonly number[]>>[] = [];
const mostKnown = 2000;

/** Parses `count` numbers from −1 to 1: a list in the action's data, or text in brackets separated by spaces or commas. */
export function readNumbers(action: Action, count: number): ParsedMove<readonly number[]> {
  if (Array.isArray(action.data)) return fitting(action.data, count);
  knownEntries[count] ??= new Map();
  const before = knownEntries[count].get(action.text);
  if (before !== undefined) return before;
  const read = parseBracketed(action);
  if (!read.ok) return { ok: false, problem: `${read.problem} ${expectation(count)}` };
  const parts = read.move.split(/[\s,;]+/);
  const answer = fitting(
    parts.map((word) => (linear(/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i).test(word) ? Number(word) : word)),
    count,
  );
  if (knownEntries[count].size >= mostKnown) knownEntries[count].clear();
  if (action.text.length < 100) knownEntries[count].set(action.text, answer);
  return answer;
}

function fitting(matches: readonly unknown[], count: number): ParsedMove<readonly number[]> {
  const fits = matches.length === count && matches.every((item) => typeof item === 'number' && item >= -1 && item <= 1);
  return fits ? { ok: true, move: matches as readonly number[] } : { ok: false, problem: `That is no action here. ${expectation(count)}` };
}

function expectation(count: number): string {
  return `Write ${count === 1 ? 'one number' : `${count} numbers`} from -1 to 1 in square brackets, such as [${sample(count, 0.25)}].`;
}

const sample = (count: number, value: number) => new Array(count).fill(value).join(' ');

/** Returns samples for agents that choose from a list, or for a person with a mouse: all numbers at one value, or a single number at it. */
export function numberChoices(count: number): readonly string[] {
  const values = [-1, -0.5, -0.1, 0, 0.1, 0.5, 1];
  const alone =
    count === 1
      ? []
      : [-0.5, 0.5].flatMap((value) => Array.from({ length: count }, (_, i) => new Array(count).fill(0).with(i, value).join(' ')));
  return [...values.map((value) => sample(count, value)), ...alone].map((text) => `[${text}]`);
}

/** Returns an ask for numbers. `observation` is the input for numeric policies: everything the seat sees, scaled to about −1 to 1. */
export function askNumbers(seat: Seat, choices: readonly string[], count: number, observation: readonly number[]): Ask {
  return { seat, choices, data: { numbers: count, observation } as Json };
}

const powers = Array.from({ length: 17 }, (_, i) => 10 ** i);
/** Three digits, and the same without trailing zeros. */
const threes = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'));
const lastThrees = threes.map((text) => text.replace(linear(/0+$/), ''));
const heads = Array.from({ length: 100 }, (_, i) => `${i}.`);
const negativeHeads = heads.map((text) => `-${text}`);

/**
 * Formats a number with six digits. Below one hundred, it is assembled from groups of three digits, because the standard method is slow.
 */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 99) {
    let shift = size >= 1 ? (size >= 10 ? 4 : 5) : 6;
    while (size * powers[shift] < 99_999.5) shift++;
    const digits = size * powers[shift];
    const rounded = Math.round(digits);
    // Halves are handled by the exact method below, because the product is inexact there.
    if (rounded >= 100_000 && Math.abs(digits - rounded) < 0.499_999) {
      const whole = Math.floor(rounded / powers[shift]);
      const rest = rounded - whole * powers[shift];
      if (rest > 0) return (value < 0 ? negativeHeads : heads)[whole] + fraction(rest, shift);
    }
  }
  return String(Number(value.toPrecision(6)));
}

/** Returns the digits after the point of `rest` divided by ten to the power of `places`, at most nine. */
function fraction(rest: number, places: number): string {
  const nine = rest * powers[9 - places];
  const first = Math.floor(nine / 1e6);
  const more = nine - first * 1e6;
  if (more === 0) return lastThrees[first];
  const second = Math.floor(more / 1000);
  const third = more - second * 1000;
  return third === 0 ? threes[first] + lastThrees[second] : threes[first] + threes[second] + lastThrees[third];
}
