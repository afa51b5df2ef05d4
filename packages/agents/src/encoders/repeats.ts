/**
 * @file Finds texts that say the same: in the same words, or with a sentence encoder in other words. Texts with different numbers or names
 * are never the same. The threshold is set on data (`npm run bench -- encoders`).
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type RecallEncoder, relevances } from '../mind/relevance.ts';
import { alikeFor } from './thresholds.ts';

/** The index of the earlier text that a text repeats; -1 if there is none. Without an encoder, only case, punctuation, greetings, and thanks may differ. */
export async function repeatedText(text: string, earlier: readonly string[], encoder: RecallEncoder | undefined): Promise<number> {
  const plain = plainWords(text);
  const equal = earlier.findIndex((item) => plainWords(item) === plain);
  if (equal >= 0 || encoder === undefined) return equal;
  const wanted = particulars(text);
  const comparable = earlier.flatMap((item, i) => (particulars(item) === wanted ? [i] : []));
  if (comparable.length === 0) return -1;
  const cosines = await relevances(
    text,
    comparable.map((i) => earlier[i] ?? ''),
    encoder.embed,
  );
  // Two wordings of a text are closer than a question and its answer, so the scale extends above 1.
  const [unrelated, related] = (await encoder.calibration?.()) ?? [0, 1];
  const nearest = cosines.indexOf(Math.max(...cosines));
  const likeness = (Math.max(...cosines) - unrelated) / (related - unrelated);
  return likeness > alikeFor.rewording.meaning ? (comparable[nearest] ?? -1) : -1;
}

/** The texts that repeat no earlier one, in order. */
export async function withoutRepeats<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  encoder: RecallEncoder | undefined,
): Promise<readonly T[]> {
  const distinct: T[] = [];
  for (const item of items) if ((await repeatedText(textOf(item), distinct.map(textOf), encoder)) < 0) distinct.push(item);
  return distinct;
}

const greeting = linear(
  /^(?:(?:hello|hi|hey|ahoy|dear|greetings|(?:good )?(?:morning|afternoon|evening|day))(?: (?:there|all|everyone|team|sir|or|madam))* |(?:just )?a? ?quick (?:one|question) |please )+|(?: (?:please|thanks|thank you|so much|very much|a lot|in advance))+$/g,
);

function plainWords(text: string): string {
  const plain = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
  return plain.replace(greeting, '');
}

/** The numbers and names of a text, which distinguish it from similar ones. */
function particulars(text: string): string {
  const terms = text.match(/\d+(?:[.,]\d+)*|(?<=\S )\p{Lu}[\p{L}\p{N}]*/gu) ?? [];
  return [...new Set(terms)].sort().join(' ');
}
