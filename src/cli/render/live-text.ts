/** @file Shows an answer while it is still being written: the words spoken aloud, and no thoughts. */

import type { Model } from '../../core/index.ts';
import { width } from './width.ts';

/** A model whose answers can be listened to. */
export function overheard(model: Model, hear: (soFar: string) => void): Model {
  return {
    ...model,
    complete(prompt, sampling, signal, onText) {
      let written = '';
      return model.complete(prompt, sampling, signal, (piece) => {
        written += piece;
        hear(speechIn(written));
        onText?.(piece);
      });
    },
  };
}

const label = /^[ \t>*_#-]*(thought|speech|action|remember|plan|memo)[ \t*_]*[:：][ \t*_]*/gim;
/** An answer that has come so far without a label has none: it is all speech. */
const unlabelled = 80;

/** The spoken part of an unfinished answer. Later pieces only ever add to it, except where a model mends its form half-way. */
export function speechIn(written: string): string {
  const text = written.replace(/<think(?:ing)?>.*?(?:<\/think(?:ing)?>|$)/gis, '').trimStart();
  if (/^(?:```(?:json)?\s*)?\{/.test(text)) {
    const [, said = ''] = /"speech"\s*:\s*"((?:[^"\\]|\\.)*)/s.exec(text) ?? [];
    return unescaped(said);
  }
  const marks = [...text.matchAll(label)];
  if (marks.length === 0) return text.length < unlabelled || text.startsWith('<') ? '' : text;
  const at = marks.findIndex((mark) => mark[1]?.toLowerCase() === 'speech');
  if (at < 0) return '';
  const from = marks[at]!;
  const next = marks[at + 1];
  const said = text.slice(from.index + from[0].length, next?.index);
  // The last line may be the beginning of the next label.
  return (next === undefined ? said.replace(/\n[ \t>*_#-]*\w{0,8}$/, '') : said).trim();
}

function unescaped(said: string): string {
  try {
    return JSON.parse(`"${said.replace(/\\$/, '').replace(/\n/g, '\\n')}"`) as string;
  } catch {
    return said;
  }
}

/** Writes text as it comes, broken at words. */
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
