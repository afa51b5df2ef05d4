/** @file Values that are created once and shared by concurrent callers. A failed creation can be retried. */

export class PromiseCache<T> {
  readonly #most: number;
  readonly #made = new Map<string, Promise<T>>();

  /** Keys from outside need a limit, or they fill the memory: the oldest entry is removed first. */
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

  /** Clears the cache, and returns its finished and pending values. */
  take(): readonly Promise<T>[] {
    const results = [...this.#made.values()];
    this.#made.clear();
    return results;
  }
}
