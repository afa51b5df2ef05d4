/** @file What was worked out once and will be wanted again, by its key. Small environments ask the same few things again and again. */

/** Total length of all keys: values are about the size of their keys. */
const most = 2 ** 23;

export class TokenCache<T> {
  #known = new Map<string, T>();
  #letters = 0;

  /** What is known by a key; made where nothing is. Where there is too much, all is forgotten. */
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
