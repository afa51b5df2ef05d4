/**
 * @file Converts text to tokens and back: byte-pair encoding, learned from the texts of the training environments.
 *
 * The first 256 tokens are bytes, so every text can be encoded; two more mark the start of a text and the end of an answer; the others are
 * merged pairs. Pairs are merged within a line, never across its end.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export const beginToken = 256;
export const endToken = 257;
const firstPair = 258;

export class Vocabulary {
  /** The two tokens of each merged token, in the order they were learned. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly #joined = new Map<number, number>();
  readonly #bytes: Uint8Array[] = [];
  readonly #lines = new Map<string, readonly number[]>();

  constructor(pairs: readonly (readonly [number, number])[] = []) {
    this.pairs = pairs;
    for (let byte = 0; byte < 256; byte++) this.#bytes.push(Uint8Array.of(byte));
    this.#bytes.push(new Uint8Array(0), new Uint8Array(0));
    for (const [left, right] of pairs) {
      this.#joined.set(keyOf(left, right), this.#bytes.length);
      this.#bytes.push(Buffer.concat([this.#bytes[left], this.#bytes[right]]));
    }
  }

  get size(): number {
    return firstPair + this.pairs.length;
  }

  encode(text: string): readonly number[] {
    const tokens: number[] = [];
    for (const line of linesOf(text)) tokens.push(...this.#encodeLine(line));
    return tokens;
  }

  decode(tokens: ArrayLike<number>): string {
    return Buffer.concat(Array.from(tokens, (token) => this.#bytes[token] ?? new Uint8Array(0))).toString('utf8');
  }

  #encodeLine(line: string): readonly number[] {
    const cachedIds = this.#lines.get(line);
    if (cachedIds !== undefined) return cachedIds;
    let tokens: number[] = [...new TextEncoder().encode(line)];
    for (;;) {
      // Pairs are merged in the order in which they were learned.
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i + 1 < tokens.length; i++) best = Math.min(best, this.#joined.get(keyOf(tokens[i], tokens[i + 1])) ?? best);
      if (best === Number.POSITIVE_INFINITY) break;
      tokens = join(tokens, this.pairs[best - firstPair], best);
    }
    if (this.#lines.size > 100_000) this.#lines.clear();
    this.#lines.set(line, tokens);
    return tokens;
  }
}

/** Merges the most frequent pair repeatedly, until the vocabulary has its size or no pair occurs twice. Ties go to the lowest pair. */
export function learnVocabulary(texts: Iterable<string>, size: number): Vocabulary {
  if (size < firstPair) throw new Fault('input', `A vocabulary needs at least ${firstPair} tokens, but ${size} were requested.`);
  const counts = new Map<string, number>();
  for (const text of texts) for (const line of linesOf(text)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const lines = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([line, count]) => ({ tokens: [...new TextEncoder().encode(line)], count }));
  const pairs: (readonly [number, number])[] = [];
  while (pairs.length < size - firstPair) {
    const pair = commonest(lines);
    if (pair === null) break;
    const token = firstPair + pairs.length;
    pairs.push(pair);
    for (const line of lines) line.tokens = join(line.tokens, pair, token);
  }
  return new Vocabulary(pairs);
}

function commonest(lines: readonly { readonly tokens: readonly number[]; readonly count: number }[]): readonly [number, number] | null {
  const counts = new Map<number, number>();
  for (const { tokens, count } of lines) {
    for (let i = 0; i + 1 < tokens.length; i++) {
      const key = keyOf(tokens[i], tokens[i + 1]);
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  let [best, most] = [-1, 1];
  for (const [key, count] of counts) {
    if (count < most || count < 2 || (count === most && key > best && best >= 0)) continue;
    [best, most] = [key, count];
  }
  return best < 0 ? null : [Math.floor(best / 2 ** 20), best % 2 ** 20];
}

function join(tokens: readonly number[], [left, right]: readonly [number, number], joined: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] === left && tokens[i + 1] === right) {
      out.push(joined);
      i++;
    } else out.push(tokens[i]);
  }
  return out;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function keyOf(left: number, right: number): number {
  return left * 2 ** 20 + right;
}
