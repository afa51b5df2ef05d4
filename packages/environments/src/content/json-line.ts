/** @file Finds the line of a value in a JSON text, so that a content problem points to a place a person can open. */

/**
 * Returns the line, from 1, of the value at a path. If the path ends early, returns the line of the nearest enclosing value. The text must
 * be valid JSON.
 */
export function lineOfPath(text: string, path: readonly (string | number)[]): number {
  const reader = new JsonReader(text);
  reader.skipSpace();
  let start = reader.at;
  for (const step of path) {
    const next = typeof step === 'number' ? reader.enterItem(step) : reader.enterField(step);
    if (next === null) break;
    start = next;
  }
  let lines = 1;
  for (let i = 0; i < start; i++) if (text.charCodeAt(i) === 10) lines++;
  return lines;
}

/** Returns the line, from 1, of the error that a JSON parser reports for a text. */
export function lineOfError(text: string): number {
  const lines = text.split('\n');
  const messageAt = (count: number): string => {
    try {
      JSON.parse(lines.slice(0, count).join('\n'));
      return '';
    } catch (thrown) {
      return String(thrown);
    }
  };
  const stated = /\(line (\d+)/.exec(messageAt(lines.length))?.[1];
  if (stated !== undefined) return Number(stated);
  // The message for an unexpected token contains no line, so this finds the first line with which the message appears.
  let [low, high] = [0, lines.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (messageAt(middle).includes('Unexpected token')) high = middle;
    else low = middle;
  }
  return high;
}

class JsonReader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  skipSpace(): void {
    while (this.at < this.#text.length && ' \t\r\n'.includes(this.#text[this.at])) this.at++;
  }

  /** Moves to an item of a list. Returns its start, or null. */
  enterItem(index: number): number | null {
    if (this.#text[this.at] !== '[') return null;
    this.at++;
    for (let i = 0; i < index; i++) {
      this.#skipValue();
      this.skipSpace();
      if (this.#text[this.at] !== ',') return null;
      this.at++;
    }
    this.skipSpace();
    return this.#text[this.at] === ']' ? null : this.at;
  }

  /** Moves to the value of a field. Returns the start of the field's name, or null. */
  enterField(name: string): number | null {
    if (this.#text[this.at] !== '{') return null;
    this.at++;
    for (;;) {
      this.skipSpace();
      if (this.#text[this.at] !== '"') return null;
      const start = this.at;
      const key = this.#readText();
      this.skipSpace();
      this.at++;
      this.skipSpace();
      if (key === name) return start;
      this.#skipValue();
      this.skipSpace();
      if (this.#text[this.at] !== ',') return null;
      this.at++;
    }
  }

  #readText(): string {
    const start = this.at++;
    while (this.at < this.#text.length && this.#text[this.at] !== '"') this.at += this.#text[this.at] === '\\' ? 2 : 1;
    this.at++;
    return JSON.parse(this.#text.slice(start, this.at)) as string;
  }

  #skipValue(): void {
    this.skipSpace();
    let depth = 0;
    for (; this.at < this.#text.length; this.at++) {
      const mark = this.#text[this.at];
      if (mark === '"') {
        this.#readText();
        this.at--;
      } else if (mark === '{' || mark === '[') depth++;
      else if (mark === '}' || mark === ']') {
        if (depth === 0) return;
        depth--;
      } else if (mark === ',' && depth === 0) return;
      else continue;
      if (depth === 0) {
        this.at++;
        return;
      }
    }
  }
}
