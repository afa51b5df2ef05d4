/** @file A cache of computed values by key. Small environments send the same few texts again and again. */

/** The total length of all keys; values have about the size of their keys. */
const most = 2 ** 23;

export class TokenCache<T> {
  #known = new Map<string, T>();
  #letters = 0;

  /** Returns the value of a key and computes it if missing. A full cache is cleared. */
  of(key: string, make: () => T): T {
    const cachedValue = this.#known.get(key);
    if (cachedValue !== undefined) return cachedValue;
    this.#letters += key.length;
    if (this.#letters > most) {
      this.#known = new Map();
      this.#letters = key.length;
    }
    const created = make();
    this.#known.set(key, created);
    return created;
  }
}
