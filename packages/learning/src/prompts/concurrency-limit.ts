/** @file Limits how many functions run at once; the rest wait in order. */

export class ConcurrencyLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #next = 0;

  constructor(many: number) {
    this.#free = Math.max(1, many);
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      this.#free++;
      this.#waiting.length = this.#next = 0;
      return;
    }
    this.#next++;
    next();
  }
}
