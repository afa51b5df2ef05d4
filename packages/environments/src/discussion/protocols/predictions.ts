/**
 * @file Two switches of a pipeline: predictions that are held against what came ("Expect: …" of one turn, what is observed at the next), and
 * how new a situation is (one over the root of its visits). Both are counted here, not by the model, and neither is ever paid.
 */

import { hash, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { wordOverlap } from '../../word-overlap.ts';

type Kept = Readonly<Record<string, string>>;

/** Under these labels the counts are kept; nobody is shown them as they are. */
const [results, visits] = ['#predictions', '#visits'];
const remembered = 20;
const mostSituations = 500;
/** Predictions that share at least so much with what came have come true. */
const enough = 0.6;

function observationOf(settings: JsonObject): string {
  return typeof settings['observed'] === 'string' ? settings['observed'] : '';
}

/** Did what was predicted last come true? Null where nothing was, or nothing came to compare it with. */
export function lastOutcome(saved: Kept, settings: JsonObject): boolean | null {
  const expected = saved['Expect'];
  if (expected === undefined || observationOf(settings) === '') return null;
  return bestLine(expected, observationOf(settings)) >= enough;
}

/** How much a prediction shares with the line or sentence of an observation that fits it best, or with the whole of it. */
function bestLine(expected: string, observed: string): number {
  const parts = observed.split(/\n|(?<=[.!?])\s/);
  return Math.max(...[observed, ...parts].map((part) => wordOverlap(wordsOf(expected), wordsOf(part))));
}

/** The outcomes so far, with that of the last prediction, as ones and noughts. */
function outcomesOf(saved: Kept, settings: JsonObject): string {
  const before = saved[results] ?? '';
  const last = lastOutcome(saved, settings);
  return last === null ? before : `${before}${last ? '1' : '0'}`.slice(-remembered);
}

/** The share of the last twenty predictions that came true; null where none could be compared. */
export function predictionShare(saved: Kept, settings: JsonObject): { readonly right: number; readonly of: number } | null {
  const outcomes = outcomesOf(saved, settings);
  if (outcomes === '') return null;
  return { right: [...outcomes].filter((outcome) => outcome === '1').length / outcomes.length, of: outcomes.length };
}

export function isTrusted(saved: Kept, settings: JsonObject, trust: number): boolean {
  return (predictionShare(saved, settings)?.right ?? 0) >= trust;
}

/** One over the root of how often this was observed, now included; null where nothing is counted. */
export function noveltyIn(saved: Kept, settings: JsonObject): number | null {
  if (settings['curiosity'] !== true || observationOf(settings) === '') return null;
  return 1 / Math.sqrt((countsIn(saved)[placeOf(settings)] ?? 0) + 1);
}

/** What is kept after a turn: the outcomes and the visits, and no prediction that has been compared. */
export function afterObservation(saved: Kept, settings: JsonObject): Kept {
  const { Expect: expected, ...rest } = saved;
  const outcomes = outcomesOf(saved, settings);
  const counts = countsIn(saved);
  const place = placeOf(settings);
  const visited = settings['curiosity'] === true && observationOf(settings) !== '';
  const next = Object.entries({ ...counts, [place]: (counts[place] ?? 0) + 1 }).slice(-mostSituations);
  return {
    ...rest,
    // Nothing came that it could be held against: it still stands.
    ...(expected !== undefined && observationOf(settings) === '' ? { Expect: expected } : {}),
    ...(outcomes === '' ? {} : { [results]: outcomes }),
    ...(visited ? { [visits]: JSON.stringify(Object.fromEntries(next)) } : {}),
  };
}

function countsIn(saved: Kept): Readonly<Record<string, number>> {
  return JSON.parse(saved[visits] ?? '{}') as Readonly<Record<string, number>>;
}

function placeOf(settings: JsonObject): string {
  return hash(observationOf(settings)).slice(0, 12);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
