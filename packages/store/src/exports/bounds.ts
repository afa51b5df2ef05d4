/** @file Bounds on scores, as they are written on the command line and in recipes: "return>=1". */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The condition on a score of a seat for selecting the seat: "return" is the environment's reward. */
export interface Bound {
  readonly score: string;
  readonly is: '>=' | '<=' | '>' | '<' | '=';
  readonly value: number;
}

/** Reads a bound such as "return>=1"; `what` names the option or setting it came by. */
export function readBound(text: string, what: string): Bound {
  const [, score, is, value] = linear(/^\s*(\S.*?)\s*(>=|<=|>|<|=)\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)\s*$/i).exec(text) ?? [];
  if (score === undefined)
    throw new Fault('input', `${what}: expected a filter such as return>=1, got "${text}". Operators: >=, <=, >, <, =.`);
  return { score, is: is as Bound['is'], value: Number(value) };
}

/** A missing value is within no bound. */
export function within(value: number | null, bound: Bound): boolean {
  if (value === null) return false;
  if (bound.is === '>=') return value >= bound.value;
  if (bound.is === '<=') return value <= bound.value;
  if (bound.is === '>') return value > bound.value;
  return bound.is === '<' ? value < bound.value : value === bound.value;
}
