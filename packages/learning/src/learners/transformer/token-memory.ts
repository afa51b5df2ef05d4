/** @file Keys and values of the tokens of one tree of texts, in reading order: two tables for each layer, which graphs read whole. */

export class TokenMemory {
  /** The length of a key, and of a value. */
  readonly width: number;
  #tables: readonly Float32Array[];
  #size = 0;

  constructor({ layers, width }: { readonly layers: number; readonly width: number }) {
    this.width = width;
    this.#tables = Array.from({ length: 2 * layers }, () => new Float32Array(64 * width));
  }

  /** The number of stored tokens. */
  get size(): number {
    return this.#size;
  }

  /** Keys and values of the first layer, then of the next; each table has spare capacity. */
  get tables(): readonly Float32Array[] {
    return this.#tables;
  }

  /** Adds a run's results for some tokens, table by table; returns the index of the first. */
  add(read: readonly Float32Array[]): number {
    const first = this.#size;
    const at = first * this.width;
    this.#size += read[0].length / this.width;
    const needed = this.#size * this.width;
    if (needed > this.#tables[0].length)
      this.#tables = this.#tables.map((table) => {
        const larger = new Float32Array(Math.max(needed, 2 * table.length));
        larger.set(table.subarray(0, at));
        return larger;
      });
    this.#tables.forEach((table, i) => void table.set(read[i], at));
    return first;
  }
}
