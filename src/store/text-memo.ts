/** @file What was made of texts that come again and again: casts, tasks, returns and scores of a run are mostly the same few. */

const longest = 2048;
const most = 4096;

export class TextMemo<T> {
  #made = new Map<string, T>();

  /** What `make` makes of a text; it must depend on the text alone. Long texts seldom come twice, and are not kept. */
  get(text: string, make: (text: string) => T): T {
    if (text.length > longest) return make(text);
    let made = this.#made.get(text);
    if (made === undefined) {
      made = make(text);
      // All at once: where texts do not repeat, to choose the one to forget would cost more than it saves.
      if (this.#made.size >= most) this.#made = new Map();
      this.#made.set(text, made);
    }
    return made;
  }
}
