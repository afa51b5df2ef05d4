/** @file Reads lines of scores: most scores of a run come again and again, to the letter, and each of these is read and checked once. */

import { freeze, type Json, type Score } from '@ludus-agents/kernel/internal/core/index';
import { toAddressed } from './append-rules.ts';
import { isTextTooDeep, scoreProblem } from './records.ts';
import { TextMemo, withoutLine } from './text-memo.ts';

const opening = '{"kind":"scores","episode":"';
const middle = '","scores":[';
const closing = ']}';
/** Between two scores. Inside a text its quotes would be escaped; inside a score it would cut off something that is no JSON. */
const seam = '},{"name":"';

/**
 * The scores of a line that is written as exports write it; they are frozen, and shared by all lines that have the same. Null for any other
 * line, and for one that has something wrong with it: then the line has to be read as a whole.
 */
export function readScoreLine(line: string): { readonly episode: string; readonly scores: readonly Score[] } | null {
  if (!line.startsWith(opening) || !line.endsWith(closing)) return null;
  const quote = line.indexOf('"', opening.length);
  if (!line.startsWith(middle, quote)) return null;
  const episode = line.slice(opening.length, quote);
  if (!/^[\w:.-]+$/.test(episode)) return null;
  const scores: Score[] = [];
  for (let from = quote + middle.length; ; ) {
    const cut = line.indexOf(seam, from);
    const to = cut < 0 ? line.length - closing.length : cut + 1;
    const score = textMemo.get(line.slice(from, to), readScore, withoutLine);
    if (score === null) return null;
    scores.push(score);
    if (cut < 0) return { episode, scores };
    from = to + 1;
  }
}

const textMemo = new TextMemo<Score | null>();

/** A score from its JSON; null if it is invalid, or may not be stored. */
function readScore(text: string): Score | null {
  try {
    const score = JSON.parse(text) as Json;
    // It is in a list in an object.
    if (scoreProblem(score) !== null || isTextTooDeep(`[[${text}]]`)) return null;
    // Throws if it cannot be stored.
    toAddressed(freeze(score));
    return score as Score;
  } catch {
    return null;
  }
}
