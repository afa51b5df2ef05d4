/**
 * @file Measures whether a seat repeats itself: runs of four words that it has said before, and how many of its words and pairs are new.
 */

import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { wordsBy } from './log.ts';
import { distinct, gramsOf, wordsOf } from './text.ts';

const run = 4;

/** For each line, given as words, the share of its runs of four that an earlier line has; null where it has none. */
export function overlaps(lines: readonly (readonly string[])[]): readonly (number | null)[] {
  const visited = new Set<string>();
  return lines.map((lineWords) => {
    const grams = gramsOf(lineWords, run);
    if (grams.length === 0) return null;
    let again = 0;
    for (const gram of grams) if (visited.has(gram)) again++;
    for (const gram of grams) visited.add(gram);
    return again / grams.length;
  });
}

/** One minus the mean overlap of a seat's lines with its earlier ones. Moves of a word or two repeat by nature and are left out. */
export const repetition: ScoringRule = {
  name: 'repetition',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  settings: { run },
  find({ log, seat }) {
    // Four words have at least three gaps between them.
    const lines = wordsBy(log, seat).filter(({ text }) => text.length > 2 * run - 2);
    if (lines.length < 2) return null;
    const lineWords = lines.map(({ text }) => wordsOf(text));
    const measured = overlaps(lineWords).flatMap((share, i) => (share === null ? [] : [{ share, i }]));
    if (measured.length < 2) return null;
    const statements = measured.flatMap(({ i }) => lineWords[i]);
    // The first line has nothing to repeat.
    const again = measured.slice(1);
    const overlap = again.reduce((sum, { share }) => sum + share, 0) / again.length;
    const worst = again.reduce((most, item) => (item.share > most.share ? item : most));
    const remark = { supports: false, note: `${Math.round(100 * worst.share)}% said before` };
    const evidence = worst.share > 0 ? evidenceOf(log, lines[worst.i], remark) : [];
    return {
      value: 1 - overlap,
      parts: { distinct1: distinct(statements, 1), distinct2: distinct(statements, 2), worst: worst.share },
      evidence,
    };
  },
};
