/**
 * @file Contrastive reflections (R-MCTS, arXiv 2410.02052): where a move came to much less than the search expected, the judge compares what
 * was expected with what came and writes a lesson. Lessons are told where the situation looks alike, and with `lasting` in later episodes.
 *
 * Situations are compared by meaning where a sentence encoder is installed, else by shared words. Differs: the last move of an episode is
 * reflected on when the next one starts, because an agent is not asked again after the end.
 */

import { type Agent, isObject, type Json, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { alikeFor } from '../encoders/thresholds.ts';
import { calibratedRelevances, type RecallEncoder } from '../mind/relevance.ts';
import { answerTo, countAct, type Mates, onOneLine } from './judge.ts';

/** A lesson, with the situation in which it was learned. */
export type Reflection = { readonly where: string; readonly text: string };

/** The move, its position, and its value according to the search, from 0 to 1. */
export type MadeMove = { readonly where: string; readonly move: string; readonly value: number };

const mostReflections = 20;
const mostRecalled = 3;
/** How much less than expected a move must come to. */
const worse = 0.3;

/** What came of a move, in words and from 0 to 1. */
export interface ObservedOutcome {
  readonly observed: string;
  readonly value: number;
}

/** What is remembered after a move whose outcome is known. The lesson is written by the judge; nothing is remembered where it writes none. */
export async function withReflection(
  before: readonly Reflection[],
  last: MadeMove | undefined,
  outcome: ObservedOutcome | undefined,
  { judge, mates }: { readonly judge: Agent; readonly mates: Mates },
): Promise<readonly Reflection[]> {
  if (last === undefined || outcome === undefined || last.value - outcome.value < worse) return before;
  const ask = `Before your last move you were told: "${onOneLine(last.where)}". You made the move ${last.move} and took it to be worth ${last.value.toFixed(2)} of 1. What came is worth ${outcome.value.toFixed(2)}: "${onOneLine(outcome.observed)}". Compare what you expected with what came, and write one line "Lesson: …" for the next time that you are in such a situation.`;
  const lesson = /lesson:\**\s*(.+)/i.exec(await answerTo(judge, [], ask, mates))?.[1]?.trim() ?? '';
  if (lesson === '') return before;
  countAct(mates.acted, 'reflected');
  return [...before, { where: last.where, text: `Earlier lesson, after ${last.move}: ${onOneLine(lesson)}` }].slice(-mostReflections);
}

/** Lessons from the situations most like this one, among those that are alike. */
export async function fittingReflections(
  reflections: readonly Reflection[],
  where: string,
  encoder?: RecallEncoder,
): Promise<readonly string[]> {
  const places = reflections.map(({ where: past }) => past);
  const similarities =
    encoder === undefined || places.length === 0
      ? places.map((past) => similarityOf(past, where))
      : await calibratedRelevances(where, places, encoder);
  return reflections
    .map(({ text }, i) => ({ text, similarity: similarities[i]! }))
    .filter(({ similarity }) => similarity >= alikeFor.situation[encoder === undefined ? 'words' : 'meaning'])
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, mostRecalled)
    .map(({ text }) => text);
}

/** Shared words over all words. */
function similarityOf(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])) as [Set<string>, Set<string>];
  const shared = [...first].filter((word) => second.has(word)).length;
  return first.size + second.size === 0 ? 1 : shared / (first.size + second.size - shared);
}

/** The last message that the seat was told, as the name of a situation. */
export function situationOf({ view }: Turn): string {
  const last = view.seen.findLast((item) => item.kind === 'message');
  return last?.kind === 'message' ? last.text.slice(0, 400).toWellFormed() : '';
}

/** Reflections in a mind that may come from anywhere. */
export function readReflections(input: Json | undefined): readonly Reflection[] {
  if (!Array.isArray(input)) return [];
  return input.filter(
    (item) => isObject(item) && typeof item['where'] === 'string' && typeof item['text'] === 'string',
  ) as readonly Reflection[];
}

export function readMadeMove(input: Json | undefined): MadeMove | undefined {
  const isMove = isObject(input) && typeof input['move'] === 'string' && typeof input['value'] === 'number';
  return isMove ? (input as MadeMove) : undefined;
}
