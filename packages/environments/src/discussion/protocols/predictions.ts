/**
 * @file Two optional parts of a pipeline: predictions that are compared with the next observation ("Expect: …"), and the novelty of a
 * situation (one over the square root of its visits). Both are computed here, not by the model, and neither is part of the reward.
 */

import { hash, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { wordOverlap } from '../../word-overlap.ts';

type Kept = Readonly<Record<string, string>>;

/** Counts are stored under these labels, which players don't see. */
const [results, visits] = ['#predictions', '#visits'];
const remembered = 20;
const mostSituations = 500;
/** A prediction that shares at least this much with the observation came true. */
const enough = 0.6;

function observationOf(settings: JsonObject): string {
  return typeof settings['observed'] === 'string' ? settings['observed'] : '';
}

/** Returns whether the last prediction came true, or null if there was no prediction or no observation to compare it with. */
export function lastOutcome(saved: Kept, settings: JsonObject): boolean | null {
  const expected = saved['Expect'];
  if (expected === undefined || observationOf(settings) === '') return null;
  return cameTrue(expected, observationOf(settings));
}

/**
 * Returns whether a prediction came true. It must share enough words with its best-matching line or sentence, or with the whole
 * observation, and must not contradict it: "the sign is red" shares three of four words with "the sign is blue" but is wrong.
 */
function cameTrue(expected: string, observed: string): boolean {
  const wanted = contentOf(expected);
  const parts = [observed, ...observed.split(/\n|(?<=[.!?])\s/)].map(contentOf);
  const scores = parts.map((part) => wordOverlap(wanted, part));
  const best = Math.max(...scores);
  return best >= enough && parts.some((part, i) => scores[i] === best && !differs(wanted, part));
}

/** Words that are ignored in the comparison. */
const fillers = new Set('a an the is are was were be will would can do does and then that it its to of i you see'.split(' '));

/** Returns the content words of a text, without endings. */
function contentOf(text: string): readonly string[] {
  const everyWord = wordsOf(text);
  const content = everyWord.filter((word) => !fillers.has(word));
  return (content.length === 0 ? everyWord : content).map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word));
}

const negations = new Set('not no never without t'.split(' '));

/** Returns whether one text negates the other, or whether both have different words between words that they share in the same order. */
function differs(wanted: readonly string[], observed: readonly string[]): boolean {
  const denies = (text: readonly string[]) => text.some((word) => negations.has(word));
  if (denies(wanted) !== denies(observed)) return true;
  const lengths = Array.from({ length: wanted.length + 1 }, () => new Array<number>(observed.length + 1).fill(0));
  for (let i = wanted.length - 1; i >= 0; i--)
    for (let k = observed.length - 1; k >= 0; k--)
      lengths[i][k] = wanted[i] === observed[k] ? 1 + lengths[i + 1][k + 1] : Math.max(lengths[i + 1][k], lengths[i][k + 1]);
  let [i, k] = [0, 0];
  let [isMissing, isOther] = [false, false];
  while (i < wanted.length || k < observed.length) {
    if (i < wanted.length && wanted[i] === observed[k]) {
      [i, k, isMissing, isOther] = [i + 1, k + 1, false, false];
      continue;
    }
    if (k >= observed.length || (i < wanted.length && lengths[i + 1][k] >= lengths[i][k + 1])) [i, isMissing] = [i + 1, true];
    else [k, isOther] = [k + 1, true];
    if (isMissing && isOther) return true;
  }
  return false;
}

/** Returns the outcomes so far, including the last prediction, as ones and zeros. */
function outcomesOf(saved: Kept, settings: JsonObject): string {
  const before = saved[results] ?? '';
  const last = lastOutcome(saved, settings);
  return last === null ? before : `${before}${last ? '1' : '0'}`.slice(-remembered);
}

/** Returns the share of the last twenty predictions that came true, or null if none could be compared. */
export function predictionShare(saved: Kept, settings: JsonObject): { readonly right: number; readonly of: number } | null {
  const outcomes = outcomesOf(saved, settings);
  if (outcomes === '') return null;
  return { right: [...outcomes].filter((outcome) => outcome === '1').length / outcomes.length, of: outcomes.length };
}

export function isTrusted(saved: Kept, settings: JsonObject, trust: number): boolean {
  return (predictionShare(saved, settings)?.right ?? 0) >= trust;
}

/** Returns one over the square root of the number of visits, including this one, or null if visits are not counted. */
export function noveltyIn(saved: Kept, settings: JsonObject): number | null {
  if (settings['curiosity'] !== true || observationOf(settings) === '') return null;
  return 1 / Math.sqrt((countsIn(saved)[placeOf(settings)] ?? 0) + 1);
}

/** Returns the memory after a turn: outcomes, visits, and any prediction that has not been compared yet. */
export function afterObservation(saved: Kept, settings: JsonObject): Kept {
  const { Expect: expected, ...rest } = saved;
  const outcomes = outcomesOf(saved, settings);
  const counts = countsIn(saved);
  const place = placeOf(settings);
  const visited = settings['curiosity'] === true && observationOf(settings) !== '';
  const next = Object.entries({ ...counts, [place]: (counts[place] ?? 0) + 1 }).slice(-mostSituations);
  return {
    ...rest,
    // Without an observation to compare it with, the prediction stays pending.
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
