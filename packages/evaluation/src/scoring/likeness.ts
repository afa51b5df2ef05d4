/**
 * @file Measures the similarity of two sets of conversations with a classifier that tries to distinguish them, tested on unseen ones.
 *
 * One row for each conversation, never for each turn: turns of one conversation resemble each other, and would be taken for evidence.
 */

import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { binomialCdf } from './statistics/distributions.ts';
import type { Interval } from './statistics/mean.ts';
import { mean, variance } from './statistics/mean.ts';
import { wilson } from './statistics/rates.ts';

/** A speaker's messages in one conversation, in order. */
export type SpokenTurns = readonly string[];

export interface Likeness {
  /** Conversations of each side that were used. */
  readonly conversations: number;
  /** Conversations that the classifier was tested on. */
  readonly tested: number;
  /** The share that it classified correctly; one half is chance. */
  readonly accuracy: number;
  readonly interval: Interval;
  /** The probability of that many correct ones by guessing. */
  readonly p: number;
  /** 1 where they cannot be distinguished, 0 where they always can: 2(1 − accuracy), at most 1. */
  readonly likeness: number;
  readonly likenessInterval: Interval;
  /** The encoder that compared content; null if only style was compared. */
  readonly encoder: string | null;
  /** The means of the most different features, for the first and the second set. */
  readonly differs: readonly { readonly feature: string; readonly first: number; readonly second: number }[];
}

const wordsIn = (text: string) => text.match(/[\p{L}\p{N}'’]+/gu) ?? [];
const share = (turns: SpokenTurns, test: RegExp) => turns.filter((text) => test.test(text)).length / turns.length;

/** Style, pattern of information, clarification, correction and mood, each as one number. */
const features: Readonly<Record<string, (turns: SpokenTurns) => number>> = {
  'words per turn': (turns) => mean(turns.map((text) => wordsIn(text).length)),
  'variation in length': (turns) => (turns.length < 2 ? 0 : Math.sqrt(variance(turns.map((text) => wordsIn(text).length)))),
  'words in the first turn': ([first = '']) => wordsIn(first).length,
  'letters per word': (turns) => mean(turns.flatMap((text) => [0, ...wordsIn(text).map((word) => word.length)])),
  'different words': (turns) => {
    const all = turns.flatMap((text) => wordsIn(text.toLowerCase()));
    return all.length === 0 ? 0 : new Set(all).size / all.length;
  },
  questions: (turns) => share(turns, /\?/),
  'ends without punctuation': (turns) => share(turns, /[\p{L}\p{N}]\s*$/u),
  'begins small': (turns) => share(turns, /^\s*\p{Ll}/u),
  capitals: (turns) => mean(turns.map((text) => (text.match(/\p{Lu}/gu) ?? []).length / Math.max(1, text.length))),
  numbers: (turns) => share(turns, /\d/),
  thanks: (turns) => share(turns, /\b(?:thanks?|thank you|please)\b/i),
  'short forms': (turns) => share(turns, /['’](?:s|m|re|ve|ll|d|t)\b/i),
  corrections: (turns) => share(turns, /\b(?:actually|no,|sorry|i mean|instead|wait|rather)\b/i),
  agreement: (turns) => share(turns, /^\s*(?:yes|yeah|yep|ok(?:ay)?|sure|sounds good|great|perfect)\b/i),
  frustration: (turns) => share(turns, linear(/!{2,}|\b(?:ridiculous|annoy\w+|angry|useless|terrible|frustrat\w+)\b/i)),
};

const neighbours = 5;

/** The vector of each conversation, by an encoder. */
export interface Meanings {
  readonly encoder: string;
  readonly of: ReadonlyMap<SpokenTurns, ArrayLike<number>>;
}

/** Tells two sets apart by their nearest neighbours, trained on one half of each and tested on the other. */
export function likenessOf(first: readonly SpokenTurns[], second: readonly SpokenTurns[], seed = 1, meanings?: Meanings): Likeness {
  const usable = (set: readonly SpokenTurns[]) => set.filter((turns) => turns.some((text) => text.trim() !== ''));
  const sides = [usable(first), usable(second)];
  const n = Math.min(...sides.map((side) => side.length));
  if (n < 10)
    throw new Fault(
      'input',
      `A similarity needs at least 10 conversations on each side, but there are ${sides.map((side) => side.length).join(' and ')}.`,
    );
  const rows = sides.flatMap((side, label) =>
    rng(seed, 'likeness', label)
      .shuffle(side)
      .slice(0, n)
      .map((turns, i) => ({ turns, label, train: i % 2 === 0, values: Object.values(features).map((of) => of(turns)) })),
  );
  if (meanings !== undefined) addMeaning(rows, meanings);
  const scaled = standardise(rows.map(({ values }) => values));
  const all = rows.map(({ label, train }, i) => ({ label, train, values: scaled[i] }));
  const trainingRows = all.filter(({ train }) => train);
  const unseen = all.filter(({ train }) => !train);
  const right = unseen.filter(({ label, values }) => guess(trainingRows, values) === label).length;
  const tested = unseen.length;
  const accuracy = right / tested;
  const interval = wilson(right, tested);
  const toLikeness = (value: number) => Math.min(1, Math.max(0, 2 * (1 - value)));
  return {
    ...{ conversations: n, tested, accuracy, interval, p: 1 - binomialCdf(right - 1, tested, 0.5) },
    likeness: toLikeness(accuracy),
    likenessInterval: [toLikeness(interval[1]), toLikeness(interval[0])],
    encoder: meanings?.encoder ?? null,
    differs: strongest(rows),
  };
}

/**
 * Adds one number for what is said: how much closer in meaning a conversation is to those of the second side than to those of the first, of the
 * conversations to learn from, without itself.
 */
function addMeaning(
  rows: readonly { readonly turns: SpokenTurns; readonly label: number; readonly train: boolean; readonly values: number[] }[],
  { of }: Meanings,
): void {
  const learned = rows.filter(({ train }) => train);
  const meaningOf = ({ turns }: (typeof rows)[number]) => of.get(turns) ?? [];
  const nearness = (row: (typeof rows)[number]) => {
    const to = (label: number) =>
      mean(learned.filter((item) => item !== row && item.label === label).map((item) => dot(meaningOf(row), meaningOf(item))));
    return to(1) - to(0);
  };
  for (const [i, value] of rows.map(nearness).entries()) rows[i].values.push(value);
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function standardise(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const columns = (rows[0] ?? []).map((_, at) => rows.map((row) => row[at]));
  const centres = columns.map(mean);
  const spreads = columns.map((column) => Math.sqrt(variance(column)) || 1);
  return rows.map((row) => row.map((value, at) => (value - centres[at]) / spreads[at]));
}

interface Known {
  readonly label: number;
  readonly values: readonly number[];
}

function guess(examples: readonly Known[], values: readonly number[]): number {
  const distances = examples.map(({ label, values: other }) => ({
    label,
    far: other.reduce((sum, value, at) => sum + (value - values[at]) ** 2, 0),
  }));
  const near = distances.sort((a, b) => a.far - b.far).slice(0, neighbours);
  return near.filter(({ label }) => label === 1).length * 2 > near.length ? 1 : 0;
}

function strongest(rows: readonly Known[]): Likeness['differs'] {
  return Object.keys(features)
    .map((feature, at) => {
      const of = (label: number) => rows.filter((row) => row.label === label).map(({ values }) => values[at]);
      const [a, b] = [of(0), of(1)];
      const spread = Math.sqrt((variance(a) + variance(b)) / 2) || 1;
      return { feature, first: mean(a), second: mean(b), size: Math.abs(mean(a) - mean(b)) / spread };
    })
    .sort((x, y) => y.size - x.size)
    .slice(0, 4)
    .map(({ feature, first, second }) => ({ feature, first, second }));
}

/** The verdict as text. */
export function likenessText({ accuracy, interval, likeness, likenessInterval, tested, differs, encoder }: Likeness): string {
  const percent = (value: number) => `${(100 * value).toFixed(0)}%`;
  const most = differs[0];
  const why = most === undefined ? '' : ` They differ most in ${most.feature}: ${most.first.toFixed(1)} and ${most.second.toFixed(1)}.`;
  return `Simulated customers compared with people: similarity ${likeness.toFixed(2)} (${likenessInterval.map((value) => value.toFixed(2)).join(' to ')}); a classifier identifies ${percent(accuracy)} of ${tested} unseen conversations correctly (${interval.map(percent).join(' to ')}; 50% is chance), by style${encoder === null ? ' alone' : ` and, with ${encoder}, by content`}.${why}`;
}
