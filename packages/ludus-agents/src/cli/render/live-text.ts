/** @file Writes an answer to a terminal while it is being generated. */

import { width } from './width.ts';

/** Writes text as it arrives, wrapped at words. */
export class LiveText {
  readonly #write: (text: string) => void;
  readonly #columns: number;
  #column = 0;
  #spaces = 0;
  #word = '';

  constructor(write: (text: string) => void, columns: number) {
    this.#write = write;
    this.#columns = columns;
  }

  add(text: string): void {
    for (const part of text.split(/(\s)/)) {
      if (!/^\s$/.test(part)) {
        this.#word += part;
        continue;
      }
      this.#put();
      if (part === '\n') this.#newline();
      else this.#spaces++;
    }
  }

  end(): void {
    this.#put();
    this.#newline();
  }

  /** A space is written only once a word follows it on the same line. */
  #put(): void {
    const columns = width(this.#word);
    if (columns === 0) return;
    if (this.#column > 0 && this.#column + this.#spaces + columns > this.#columns) this.#newline();
    this.#write(`${' '.repeat(this.#spaces)}${this.#word}`);
    this.#column += this.#spaces + columns;
    this.#spaces = 0;
    this.#word = '';
  }

  #newline(): void {
    this.#write('\n');
    this.#column = 0;
    this.#spaces = 0;
  }
}
