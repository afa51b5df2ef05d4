/** @file Does a seat repeat itself? Runs of four words that it has said before, and how many of its words and pairs are new. */

import { evidenceOf, type Rule } from '../scorer.ts';
import { type Line, wordsBy } from './log.ts';
import { distinct, gramsOf, wordsOf } from './text.ts';

const run = 4;

/** For each line the share of its runs of four words that an earlier line has; null where it has none. */
export function overlaps(texts: readonly string[]): readonly (number | null)[] {
  const seen = new Set<string>();
  return texts.map((text) => {
    const grams = gramsOf(wordsOf(text), run);
    const share = grams.length === 0 ? null : grams.filter((gram) => seen.has(gram)).length / grams.length;
    for (const gram of grams) seen.add(gram);
    return share;
  });
}

/** One minus the mean overlap of a seat's lines with its earlier ones. Moves of a word or two repeat by nature and are left out. */
export const repetition: Rule = {
  name: 'repetition',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  settings: { run },
  find({ log, seat }) {
    const lines = wordsBy(log, seat);
    const shares = overlaps(lines.map(({ text }) => text));
    const measured = shares.flatMap((share, i) => (share === null ? [] : [{ share, line: lines[i] as Line }]));
    if (measured.length < 2) return null;
    const words = measured.flatMap(({ line }) => wordsOf(line.text));
    // The first line has nothing to repeat.
    const again = measured.slice(1);
    const overlap = again.reduce((sum, { share }) => sum + share, 0) / again.length;
    const worst = again.reduce((most, one) => (one.share > most.share ? one : most));
    const evidence =
      worst.share > 0 ? evidenceOf(log, worst.line, { supports: false, note: `${Math.round(100 * worst.share)} % said before` }) : [];
    return { value: 1 - overlap, parts: { distinct1: distinct(words, 1), distinct2: distinct(words, 2), worst: worst.share }, evidence };
  },
};
