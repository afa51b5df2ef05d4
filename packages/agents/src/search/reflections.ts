/**
 * @file Contrastive reflections (R-MCTS, arXiv 2410.02052): if a move's result is much worse than the search expected, the judge compares
 * expectation and result and writes a lesson. Lessons are shown in similar situations, and with `lasting` in later episodes.
 *
 * Situations are compared by meaning if a sentence encoder is installed, else by shared words. Difference from the paper: the last move of
 * an episode is reflected on when the next one starts, because an agent is not called after the end.
 */

import { type Agent, isObject, type Json, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { alikeFor } from '../encoders/thresholds.ts';
import { calibratedRelevances, type RecallEncoder } from '../mind/relevance.ts';
import { afterLabel, onOneLine } from './answers.ts';
import { answerTo, countAct, type Mates } from './judge.ts';

/** A lesson, with the situation where it was learned. */
export type Reflection = { readonly where: string; readonly text: string };

/** The move, its position, and its value according to the search, from 0 to 1. */
export type MadeMove = { readonly where: string; readonly move: string; readonly value: number };

const mostReflections = 20;
const mostRecalled = 3;
/** The least difference between the expected and the actual value that counts as much worse. */
const worse = 0.3;

/** The result of a move: an observation, and a value from 0 to 1. */
export interface ObservedOutcome {
  readonly observed: string;
  readonly value: number;
}

/** The reflections after a move whose result is known. The judge writes the lesson; without one, nothing is added. */
export async function withReflection(
  before: readonly Reflection[],
  last: MadeMove | undefined,
  outcome: ObservedOutcome | undefined,
  { judge, mates }: { readonly judge: Agent; readonly mates: Mates },
): Promise<readonly Reflection[]> {
  if (last === undefined || outcome === undefined || last.value - outcome.value < worse) return before;
  const ask = `Before your last move you were told: "${onOneLine(last.where)}". You made the move ${last.move} and took it to be worth ${last.value.toFixed(2)} of 1. What came is worth ${outcome.value.toFixed(2)}: "${onOneLine(outcome.observed)}". Compare what you expected with what came, and write one line "Lesson: …" for the next time that you are in such a situation.`;
  const answer = await answerTo(judge, [], ask, mates);
  const lesson = afterLabel(answer, 'lesson') ?? onOneLine(answer);
  if (lesson === '') return before;
  countAct(mates.acted, 'reflected');
  return [...before, { where: last.where, text: `Earlier lesson, after ${last.move}: ${onOneLine(lesson)}` }].slice(-mostReflections);
}

/** Lessons from the most similar situations that are similar enough. */
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

/** The number of shared words over the number of all words. */
function similarityOf(a: string, b: string): number {
  const [first, second] = [a, b].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])) as [Set<string>, Set<string>];
  const shared = [...first].filter((word) => second.has(word)).length;
  return first.size + second.size === 0 ? 1 : shared / (first.size + second.size - shared);
}

/** The last message to the seat, as the key of a situation. */
export function situationOf({ view }: Turn): string {
  const last = view.seen.findLast((item) => item.kind === 'message');
  return last?.kind === 'message' ? last.text.slice(0, 400).toWellFormed() : '';
}

/** Parses the reflections of a mind of any origin. */
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
