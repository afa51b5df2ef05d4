/** @file Caches values computed from repeated texts: casts, tasks, returns, and scores of a run have few distinct values. */

const longest = 2048;
const most = 4096;

export class TextMemo<T> {
  #made = new Map<string, T>();

  /**
   * What `make` makes of a text; it must depend on the text alone. Long texts seldom come twice, and are not kept. A piece of a longer text is
   * kept as `keep` gives it.
   */
  get(text: string, make: (text: string) => T, keep: (text: string) => string = asItIs): T {
    if (text.length > longest) return make(text);
    let memoized = this.#made.get(text);
    if (memoized === undefined) {
      memoized = make(text);
      // Clears everything: if texts do not repeat, choosing an entry to evict would cost more than it saves.
      if (this.#made.size >= most) this.#made = new Map();
      this.#made.set(keep(text), memoized);
    }
    return memoized;
  }
}

/** Its own text: a piece of a line would keep all that was read from the file with it in memory. */
export function withoutLine(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function asItIs(text: string): string {
  return text;
}
