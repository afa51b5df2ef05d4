/** @file Things that are made once and shared by all who ask meanwhile. What could not be made may be made later. */

export class PromiseCache<T> {
  readonly #most: number;
  readonly #made = new Map<string, Promise<T>>();

  /** Keys that come from outside need a bound, or they fill the memory: the entry that was made first goes first. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  get(key: string, make: () => T | Promise<T>): Promise<T> {
    const existing = this.#made.get(key);
    if (existing !== undefined) return existing;
    const result = (async () => make())();
    this.#made.set(key, result);
    const [oldest] = this.#made.keys();
    if (this.#made.size > this.#most && oldest !== undefined) this.#made.delete(oldest);
    result.catch(() => {
      if (this.#made.get(key) === result) this.#made.delete(key);
    });
    return result;
  }

  /** Forgets everything, and gives what was made or is being made. */
  take(): readonly Promise<T>[] {
    const results = [...this.#made.values()];
    this.#made.clear();
    return results;
  }
}
