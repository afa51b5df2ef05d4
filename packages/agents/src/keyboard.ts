/** @file Reads one person's lines from a stream: a terminal with editing and history, or a pipe. Several readers take turns. */

import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const keyboards = new WeakMap<Readable, Keyboard>();

export class Keyboard {
  readonly #input: Readable;
  readonly #terminal: boolean;
  readonly #typedAhead: string[] = [];
  #history: string[] = [];
  #reader: Interface | undefined;
  #ended = false;
  #deliver: ((line: string | null) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(input: Readable) {
    this.#input = input;
    this.#terminal = (input as { isTTY?: boolean }).isTTY === true;
  }

  /** The keyboard of a stream. Lines typed ahead are not lost between readers. */
  static of(input: Readable): Keyboard {
    const keyboard = keyboards.get(input);
    if (keyboard !== undefined) return keyboard;
    const newKeyboard = new Keyboard(input);
    keyboards.set(input, newKeyboard);
    return newKeyboard;
  }

  /** Runs `task` when the keyboard is free, so seats that act at the same time are prompted one after the other. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(task);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Reads the next line; null if the person has left (end of input, Ctrl-C, Ctrl-D) or the signal aborts. */
  async read(prompt: string, output: Writable, signal: AbortSignal): Promise<string | null> {
    const ready = this.#typedAhead.shift();
    if (ready !== undefined) {
      output.write(`${prompt}${ready}\n`);
      return ready;
    }
    if (this.#ended || signal.aborted) return null;
    const line = await new Promise<string | null>((resolve) => {
      const leave = () => this.#deliver?.(null);
      this.#deliver = (input) => {
        this.#deliver = undefined;
        signal.removeEventListener('abort', leave);
        resolve(input);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#listen(prompt, output);
    });
    this.#rest();
    if (line === null) output.write('\n');
    else if (!this.#terminal) output.write(`${line}\n`);
    return line;
  }

  #listen(prompt: string, output: Writable): void {
    this.#reader ??= this.#open(output);
    this.#reader.setPrompt(prompt);
    if (this.#terminal) this.#reader.prompt();
    else {
      output.write(prompt);
      this.#reader.resume();
    }
  }

  #open(output: Writable): Interface {
    const reader = createInterface({
      input: this.#input,
      terminal: this.#terminal,
      ...(this.#terminal ? { output, history: this.#history } : {}),
    });
    reader.on('history', (history: string[]) => {
      this.#history = history;
    });
    reader.on('line', (line) => {
      if (this.#deliver === undefined) this.#typedAhead.push(line);
      else this.#deliver(line);
    });
    reader.on('SIGINT', () => this.#deliver?.(null));
    reader.on('close', () => {
      if (this.#reader !== reader) return;
      this.#ended = true;
      this.#deliver?.(null);
    });
    return reader;
  }

  /** Between lines, releases a terminal so that Ctrl-C works as usual. A pipe is only paused, because its remaining input would be lost. */
  #rest(): void {
    const reader = this.#reader;
    if (!this.#terminal) {
      if (!this.#ended) reader?.pause();
      return;
    }
    this.#reader = undefined;
    reader?.close();
  }
}
