/** @file What was worked out once and will be wanted again, by its key. Small environments ask the same few things again and again. */

const most = 4096;

export class TokenCache<T> {
  #known = new Map<string, T>();

  /** What is known by a key; made where nothing is. Where there is too much, all is forgotten. */
  of(key: string, make: () => T): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= most) this.#known = new Map();
    const made = make();
    this.#known.set(key, made);
    return made;
  }
}
