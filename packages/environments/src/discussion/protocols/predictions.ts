/**
 * @file Two switches of a pipeline: predictions that are held against what came ("Expect: …" of one turn, what is observed at the next), and
 * how new a situation is (one over the root of its visits). Both are counted here, not by the model, and neither is ever paid.
 */

import { hash, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { wordOverlap } from '../../word-overlap.ts';

type Kept = Readonly<Record<string, string>>;

/** Counts are stored under these labels, which players don't see. */
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
  return cameTrue(expected, observationOf(settings));
}

/**
 * Did a prediction come true? It shares enough with the line or sentence that fits it best, or with the whole observation, and names nothing
 * that is different there: "the sign is red" shares three words of four with "the sign is blue", and is wrong.
 */
function cameTrue(expected: string, observed: string): boolean {
  const wanted = contentOf(expected);
  const parts = [observed, ...observed.split(/\n|(?<=[.!?])\s/)].map(contentOf);
  const scores = parts.map((part) => wordOverlap(wanted, part));
  const best = Math.max(...scores);
  return best >= enough && parts.some((part, i) => scores[i] === best && !differs(wanted, part));
}

/** Words without meaning for the comparison. */
const fillers = new Set('a an the is are was were be will would can do does and then that it its to of i you see'.split(' '));

/** The words of a text that carry its meaning, without endings. */
function contentOf(text: string): readonly string[] {
  const everyWord = wordsOf(text);
  const content = everyWord.filter((word) => !fillers.has(word));
  return (content.length === 0 ? everyWord : content).map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word));
}

const negations = new Set('not no never without t'.split(' '));

/** Does one text deny, or has each text words that the other has not, between words that both have in the same order? */
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
