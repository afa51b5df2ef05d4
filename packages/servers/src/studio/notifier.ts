/** @file A bell for each name: who waits for it hears the next ring, or nothing when the house closes. */

export class Notifier {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  ring(name: string): void {
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves at the next ring, or after so many milliseconds. */
  heard(name: string, within: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.get(name)?.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, within);
      timer.unref();
      const waiting = this.#waiting.get(name) ?? new Set();
      waiting.add(wake);
      this.#waiting.set(name, waiting);
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    for (const name of [...this.#waiting.keys()]) this.ring(name);
  }
}
