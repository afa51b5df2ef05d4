/** @file Similarity of documents to a query by their words: Okapi BM25. */

const common = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her him his how i if in is it its just me my no not of on or our out she so some than that the their them then there they this to too up us was we were what when where which who will with would you your'.split(
    ' ',
  ),
);

/** Words to match, without common endings, so that "promised" matches "promise". */
export function termsOf(text: string): readonly string[] {
  const out: string[] = [];
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) if (!common.has(word)) out.push(stemWord(word));
  return out;
}

function stemWord(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1).replace(/e$/, '');
  return word.length > 3 ? word.replace(/e$/, '') : word;
}

export interface Bm25Options {
  readonly k1?: number;
  readonly b?: number;
}

/** Okapi BM25 with a non-negative idf, ln(1 + (n − df + ½) / (df + ½)). */
export function bm25(
  query: readonly string[],
  documents: readonly (readonly string[])[],
  { k1 = 1.2, b = 0.75 }: Bm25Options = {},
): readonly number[] {
  const wanted = new Map<string, number>();
  for (const term of query) wanted.set(term, 0);
  let wordCount = 0;
  // Most documents contain none of the words, and get no counts.
  const counts = documents.map((document) => {
    wordCount += document.length;
    let mine: Map<string, number> | null = null;
    for (const term of document) {
      if (!wanted.has(term)) continue;
      mine ??= new Map();
      mine.set(term, (mine.get(term) ?? 0) + 1);
    }
    if (mine !== null) for (const term of mine.keys()) wanted.set(term, (wanted.get(term) as number) + 1);
    return mine;
  });
  const average = wordCount / Math.max(1, documents.length) || 1;
  const idf = new Map<string, number>();
  for (const [term, df] of wanted) idf.set(term, Math.log(1 + (documents.length - df + 0.5) / (df + 0.5)));
  return counts.map((mine, i) => {
    if (mine === null) return 0;
    const length = k1 * (1 - b + (b * documents[i]!.length) / average);
    let score = 0;
    for (const [term, count] of mine) score += ((idf.get(term) as number) * count * (k1 + 1)) / (count + length);
    return score;
  });
}
