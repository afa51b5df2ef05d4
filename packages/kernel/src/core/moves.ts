/**
 * @file Strict reading of moves: exactly one, in square brackets, or feedback and another try, never a substituted move.
 *
 * Text outside the brackets is talk. Two bracketed moves, none, or a bracket that never closes (a reply cut off by its token limit) are all
 * broken form: the seat gets the reason, pays a penalty in its own channel, and may try again a bounded number of times.
 */

import type { Action, Ask, Seat, Step } from './environment.ts';
import type { JsonObject } from './json.ts';
import { parameter } from './task.ts';

export type ParsedMove<M> = { readonly ok: true; readonly move: M } | { readonly ok: false; readonly problem: string };

/** The number of retries before a seat forfeits; every strict environment has this parameter. */
export const retries = parameter.integer({
  min: 0,
  max: 10,
  default: 2,
  description: 'how many illegal answers in a row a seat may give before it forfeits',
});

/** Returns the content of the only pair of square brackets, trimmed, with white space collapsed. */
export function parseBracketed(action: Action): ParsedMove<string> {
  const text = action.text;
  const open = text.indexOf('[');
  if (open < 0) return { ok: false, problem: 'Your answer has no move. Write exactly one move in square brackets.' };
  const close = text.indexOf(']', open);
  if (close < 0) return { ok: false, problem: 'Your move has no closing bracket. Write exactly one move in square brackets.' };
  if (text.indexOf('[', open + 1) >= 0)
    return { ok: false, problem: 'Your answer has more than one opening bracket. Write exactly one move in square brackets.' };
  const inner = text.slice(open + 1, close);
  return { ok: true, move: isFolded(inner) ? inner : inner.replace(/\s+/g, ' ').trim() };
}

/** Whether white space is already normalized, as in every listed move: single spaces between words, and none around them. */
function isFolded(text: string): boolean {
  let wasSpace = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || (code === 0x20 && wasSpace)) return false;
    wasSpace = code === 0x20;
  }
  return !wasSpace;
}

/** Finds the choice in an answer, ignoring case; each choice includes its brackets. */
export function choose<C extends string>(action: Action, choices: readonly C[]): ParsedMove<C> {
  // The common case first: the answer is exactly a choice.
  const exact = choices.indexOf(action.text as C);
  if (exact >= 0) return { ok: true, move: choices[exact]! };
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const wanted = `[${read.move.toLowerCase()}]`;
  for (const choice of choices) if (choice.toLowerCase() === wanted) return { ok: true, move: choice };
  return { ok: false, problem: `[${clip(read.move)}] is not a legal move here.` };
}

/** A free-text answer: any non-empty text. */
export function spokenText(action: Action): ParsedMove<string> {
  const text = action.text.trim();
  return text === '' ? { ok: false, problem: 'Your message is empty.' } : { ok: true, move: text };
}

/** Asks a seat again after a problem; null if its retries are used up and the environment must record a forfeit. */
export function askAgain<S extends JsonObject & { readonly misses: number }>(
  state: S,
  ask: Ask,
  problem: string,
  tries: number,
): Step<S> | null {
  if (state.misses >= tries) return null;
  const left = tries - state.misses;
  return {
    state: { ...state, misses: state.misses + 1 },
    messages: [{ to: [ask.seat], text: `${problem} ${left === 1 ? 'One try is' : `${left} tries are`} left.` }],
    asks: [ask],
    penalties: { [ask.seat]: 1 },
  };
}

/** The message to all seats when a seat has used up its retries. */
export function forfeitText(seat: Seat): string {
  return `${seat} forfeits: no legal move was given.`;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
