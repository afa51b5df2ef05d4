/** @file Numbers as actions: read from an answer's data or its brackets, and offered as a few samples to anyone who chooses from a list. */

import { type Action, type Ask, type Json, type ParsedMove, parseBracketed, type Seat } from '../core/index.ts';

/** As many numbers from −1 to 1: a list in the data of an action, or between brackets with spaces or commas. */
export function readNumbers(action: Action, count: number): ParsedMove<readonly number[]> {
  const wanted = `Write ${count === 1 ? 'one number' : `${count} numbers`} from -1 to 1 in square brackets, such as [${sample(count, 0.25)}].`;
  let found: readonly unknown[];
  if (Array.isArray(action.data)) found = action.data;
  else {
    const read = parseBracketed(action);
    if (!read.ok) return { ok: false, problem: `${read.problem} ${wanted}` };
    found = read.move.split(/[\s,;]+/).map((word) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : word));
  }
  const fits = found.length === count && found.every((one) => typeof one === 'number' && one >= -1 && one <= 1);
  return fits ? { ok: true, move: found as readonly number[] } : { ok: false, problem: `That is no action here. ${wanted}` };
}

const sample = (count: number, value: number) => new Array(count).fill(value).join(' ');

/** Samples for agents that choose from a list, and for a person with a mouse: all at one value, or one of them alone. */
export function numberChoices(count: number): readonly string[] {
  const values = [-1, -0.5, -0.1, 0, 0.1, 0.5, 1];
  const alone =
    count === 1
      ? []
      : [-0.5, 0.5].flatMap((value) => Array.from({ length: count }, (_, i) => new Array(count).fill(0).with(i, value).join(' ')));
  return [...values.map((value) => sample(count, value)), ...alone].map((text) => `[${text}]`);
}

/** An ask for numbers. `observation` is what a policy of numbers reads: everything the seat sees, scaled to about −1 to 1. */
export function askNumbers(seat: Seat, choices: readonly string[], count: number, observation: readonly number[]): Ask {
  return { seat, choices, data: { numbers: count, observation } as Json };
}

/** A number as it is written: six digits. */
export function formatNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
