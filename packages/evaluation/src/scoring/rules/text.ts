/** @file Texts as words, n-grams and profiles: the counting that style, repetition, drift and leaks share. */

/** Words in lower case; an apostrophe within a word belongs to it. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.includes('’') ? text.replaceAll('’', "'") : text;
  return plain.toLowerCase().match(/[\p{L}\p{N}]+(?:'[\p{L}]+)*/gu) ?? [];
}

/** All runs of n words, each as one text. */
export function gramsOf(words: readonly string[], n: number): readonly string[] {
  if (n === 1) return words;
  const grams: string[] = [];
  for (let i = 0; i + n <= words.length; i++) {
    let gram = words[i];
    for (let j = 1; j < n; j++) gram += ` ${words[i + j]}`;
    grams.push(gram);
  }
  return grams;
}

/** The share of runs of n words that are not repeats; null where there is none. */
export function distinct(words: readonly string[], n: number): number | null {
  const grams = gramsOf(words, n);
  return grams.length === 0 ? null : new Set(grams).size / grams.length;
}

export type Profile = ReadonlyMap<string, number>;

/** How often each run of three characters occurs: how a text sounds, whatever it is about. */
export function profileOf(texts: Iterable<string>): Profile {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const padded = ` ${wordsOf(text).join(' ')} `;
    for (let i = 0; i + 3 <= padded.length; i++) {
      const gram = padded.slice(i, i + 3);
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
  }
  return counts;
}

/** The cosine of two profiles: 1 for the same mixture, 0 for nothing in common. */
export function likeness(a: Profile, b: Profile): number {
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (const [gram, count] of a) {
    dot += count * (b.get(gram) ?? 0);
    lengthA += count * count;
  }
  for (const count of b.values()) lengthB += count * count;
  return lengthA === 0 || lengthB === 0 ? 0 : Math.min(1, dot / Math.sqrt(lengthA * lengthB));
}

const common = new Set(
  'about after again also always and any are because been before being but can cannot could did does done down each else ever every for from had has have her here hers him his how into its just like made make many may more most much must never not now off once one only other our out over own said same say says she should since some still such than that the their them then there these they this those though through too under until very was well were what when where which while who whom whose why will with without would yet you your'.split(
    ' ',
  ),
);

/** The words that carry what a sentence says, cut to five letters so that "smuggled" and "smuggling" are one. */
export function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const word of wordsOf(text)) {
    const bare = word.replace(/'\p{L}*$/u, '').replace(/(?<=\p{L}{2}[^s])s$/u, '');
    if (/\d/.test(bare) || (bare.length > 2 && !common.has(bare))) stems.add(bare.slice(0, 5));
  }
  return stems;
}

/** The one choice that a reply names as a word, such as "entails" in "Answer: entails."; null if it names none, or several. */
export function namedChoice<Choice extends string>(reply: string, choices: readonly Choice[]): Choice | null {
  const words = new Set(reply.match(/[\p{L}\p{N}]+/gu)?.map((word) => word.toLowerCase()) ?? []);
  const named = choices.filter((choice) => words.has(choice.toLowerCase()));
  return named.length === 1 ? (named[0] ?? null) : null;
}
