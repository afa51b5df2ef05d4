/** @file What an agent that judges says of a position: a number, words, and which of two is better; and what of that is remembered. */

import type { Agent, Json, ModelCall, Seen, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { TriedMove } from './positions.ts';

/** What a judge is asked with. */
export interface Mates {
  readonly turn: Turn;
  readonly notes: readonly string[];
  /** Calls are added here. */
  readonly calls: ModelCall[];
  /** Left out where nothing may be looked at but what the seat has seen. */
  readonly simulator: Simulator | undefined;
  readonly signal: AbortSignal;
}

export interface Judgement {
  /** From 0 to 1. */
  readonly value: number;
  readonly words: string;
}

const longestWords = 200;

/** How a position goes for the seat: the mean of so many answers; one without a number counts as 0. */
export async function judgeOf(judge: Agent, path: readonly Seen[], times: number, mates: Mates): Promise<Judgement> {
  let [sum, words] = [0, ''];
  const ask =
    'Suppose it goes on like this. How well does it go for you? Write "Score: …" from 0 (lost) to 10 (won), and why in one sentence.';
  for (let i = 0; i < times; i++) {
    const text = await answerTo(judge, path, ask, mates);
    const score = Number(/score:\**\s*(\d+(?:\.\d+)?)/i.exec(text)?.[1] ?? 0);
    sum += Math.min(10, Math.max(0, score)) / 10;
    if (words === '')
      words = text
        .replace(linear(/\**score:\**\s*[\d.]+(?:\s*\/\s*10)?/i), '')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, longestWords)
        .toWellFormed();
  }
  return { value: sum / times, words };
}

/** Which of two moves is chosen in most of so many answers; the first, which is the better one by value, among as many. */
export async function betterOf(
  judge: Agent,
  [first, second]: readonly [TriedMove, TriedMove],
  times: number,
  mates: Mates,
): Promise<string> {
  let votes = 0;
  for (let i = 0; i < times; i++) {
    // Half of the time the other way round: who comes first must not decide.
    const [a, b] = i % 2 === 0 ? [first, second] : [second, first];
    const argument = ({ move, words = '' }: TriedMove) => `${move}${words === '' ? '' : ` (${words})`}`;
    const text = await answerTo(
      judge,
      [],
      `Two moves are left: ${argument(a)} or ${argument(b)}. Argue for each, then write "Choice: MOVE".`,
      mates,
    );
    const choice = /choice:\**\s*(.+)/i.exec(text)?.[1]?.trim().toLowerCase() ?? '';
    if (choice.startsWith(first.move.toLowerCase())) votes++;
    else if (choice.startsWith(second.move.toLowerCase())) votes--;
  }
  return votes < 0 ? second.move : first.move;
}

/** What the judge writes at the end of a path that was not played. */
export async function answerTo(
  judge: Agent,
  path: readonly Seen[],
  ask: string,
  { turn, notes, calls, simulator, signal }: Mates,
): Promise<string> {
  const seat = turn.view.seat;
  const words = [...notes, ask].map((text): Seen => ({ kind: 'message', to: [seat], text }));
  const requestedTurn: Turn = { view: { seat, seen: [...turn.view.seen, ...path, ...words] }, ask: { seat }, rng: turn.rng };
  const reply = await judge.act(requestedTurn, signal, simulator);
  calls.push(...(reply.calls ?? []));
  return reply.action.text;
}

/** A move that came out worse than was thought, with where it was made. */
export type Reflection = { readonly where: string; readonly text: string };

const mostReflections = 20;
const [worse, alike] = [0.3, 0.25];

/** What is remembered after a turn: a new reflection where the position is worth much less than was expected of the move that led to it. */
export function withReflection(
  before: readonly Reflection[],
  last: { readonly where: string; readonly move: string; readonly value: number } | undefined,
  now: number | null,
): readonly Reflection[] {
  if (last === undefined || now === null || last.value - now < worse) return before;
  const text = `Earlier, ${last.move} looked worth ${last.value.toFixed(2)} and came to ${now.toFixed(2)}: look for what was missed.`;
  return [...before, { where: last.where, text }].slice(-mostReflections);
}

/** Reflections on situations that share at least a quarter of their words with this one, the latest three. */
export function fittingReflections(all: readonly Reflection[], where: string): readonly string[] {
  return all
    .filter((reflection) => likeness(reflection.where, where) >= alike)
    .map(({ text }) => text)
    .slice(-3);
}

/** Shared words over all words. */
function likeness(a: string, b: string): number {
  const [item, other] = [a, b].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])) as [Set<string>, Set<string>];
  const shared = [...item].filter((word) => other.has(word)).length;
  return item.size + other.size === 0 ? 1 : shared / (item.size + other.size - shared);
}

/** The last words that the seat was told, as the name of a situation. */
export function situationOf({ view }: Turn): string {
  const last = view.seen.findLast((item) => item.kind === 'message');
  return last?.kind === 'message' ? last.text.slice(0, 400).toWellFormed() : '';
}

/** Reflections in a mind that may come from anywhere. */
export function readReflections(input: Json | undefined): readonly Reflection[] {
  return Array.isArray(input) ? (input as readonly Reflection[]) : [];
}
