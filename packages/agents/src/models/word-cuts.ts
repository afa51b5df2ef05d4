/**
 * @file Splits texts into words for vocabularies that write a space as "▁" and join letters over whole texts, as sentencepiece does.
 *
 * If no piece extends beyond a word or the end of a line, words are joined independently into the same pieces. The library caches the
 * pieces of words, so a new text is looked up word by word instead of being joined letter by letter.
 */

const space = '▁';

interface JoinedModel {
  readonly type?: unknown;
  readonly vocab?: Readonly<Record<string, number>>;
  readonly merges?: readonly (string | readonly [string, string])[];
  readonly ignore_merges?: boolean;
  readonly end_of_word_suffix?: string | null;
  readonly continuing_subword_suffix?: string | null;
}

/** A tokenizer.json that produces the same tokens; unchanged if pieces may extend beyond a word. */
export function withWordCuts(tokenizer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const model = (tokenizer['model'] ?? {}) as JoinedModel;
  const { vocab = {}, merges = [], ignore_merges, end_of_word_suffix, continuing_subword_suffix } = model;
  const joins = model.type === 'BPE' && ignore_merges !== true && !end_of_word_suffix && !continuing_subword_suffix;
  if (!joins || !Object.hasOwn(vocab, space)) return tokenizer;
  const pieces = merges.map((pair) => (typeof pair === 'string' ? pair.replace(' ', '') : pair[0] + pair[1]));
  if (pieces.some((piece) => /[^▁]▁/.test(piece))) return tokenizer;
  // Each letter is visited once, whatever the text.
  const pattern = pieces.some((piece) => piece.includes('\n')) ? '▁+[^▁]*|[^▁]+' : '\\n|▁+[^▁\\n]*|[^▁\\n]+';
  const cut = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  const ownEntry = tokenizer['pre_tokenizer'] ?? null;
  return { ...tokenizer, pre_tokenizer: ownEntry === null ? cut : { type: 'Sequence', pretokenizers: [ownEntry, cut] } };
}
