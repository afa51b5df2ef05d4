/**
 * @file Labels of single calls (Fathom, 2509.24107): a search or a use of a tool is new, or it is redundant because it was made before or
 * because it returned nothing new. New calls are rewarded, redundant ones are penalized.
 */

import type { EpisodeEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { EpisodeJudge } from './judging.ts';

export type CallLabel = 'new' | 'redundant';

/** One label for each action of a seat, in order. */
export function labelCalls(log: readonly EpisodeEvent[], seat: Seat): readonly { readonly at: number; readonly label: CallLabel }[] {
  const [result, knownNames] = [new Set<string>(), new Set<string>()];
  const out: { at: number; label: CallLabel; brought: boolean; answered: boolean }[] = [];
  log.forEach((event, at) => {
    if (event.kind === 'action' && event.seat === seat) {
      const call = plainText(event.action.text);
      out.push({ at, label: result.has(call) ? 'redundant' : 'new', brought: false, answered: false });
      result.add(call);
    } else if (event.kind === 'message' && event.to.includes(seat)) {
      const last = out.at(-1);
      if (last !== undefined) [last.answered, last.brought] = [true, last.brought || !knownNames.has(plainText(event.text))];
      knownNames.add(plainText(event.text));
    }
  });
  return out.map(({ at, label, brought, answered }) => ({ at, label: answered && !brought ? 'redundant' : label }));
}

/** Numbers of turns left or used, which change by themselves. Every other number is content: floor 1 is not floor 2. */
const counters = linear(
  /\b(?:turns?|steps?|rounds?|moves?|tries|attempts?|questions?)\W{0,3}(?:left|remaining|gone|used|so far)?\W{0,3}\d+|\d+ (?:more )?(?:turns?|steps?|rounds?|moves?|tries|attempts?|questions?)\b/g,
);

/** Normalizes an answer: changes in turn counters and spacing do not make it new. */
function plainText(text: string): string {
  return text.toLowerCase().replace(counters, '#').replace(/\s+/g, ' ').trim();
}

/** One for a new call, minus one for a redundant one. */
export const callLabels: EpisodeJudge = ({ log, seat, sample }) => {
  const labels = new Map(labelCalls(log, seat).map(({ at, label }) => [at, label]));
  return sample.turns.map(({ at }) => (labels.get(at) === 'redundant' ? -1 : 1));
};

/**
 * Rewards short answers, as in RLSP: minus one over the number of tokens, on the last turn. The channel's weight is the penalty of a
 * one-token answer.
 */
export const shortness: EpisodeJudge = ({ sample: { turns } }) => {
  const written = turns.reduce((sum, turn) => sum + turn.written.length, 0);
  return turns.map((_, i) => (i === turns.length - 1 ? -1 / Math.max(1, written) : 0));
};

/** The number of words in each turn's answer: the cost of carrying it out. */
export const wordsSaid: EpisodeJudge = ({ log, sample }) =>
  sample.turns.map(({ at }) => {
    const event = log[at];
    return event?.kind === 'action' ? (event.action.text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) : 0;
  });
