/**
 * @file Scripted code breakers: minimax, and any consistent guess, based only on the answers.
 *
 * With pegs, minimax is Knuth's: the guess whose worst answer leaves the fewest codes. Ties prefer a guess that may be the code, then the
 * lowest. With a number, it halves the remaining range. Its guesses after the same answers are cached across episodes.
 */

import { Fault, type JsonObject, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';

/** The kind of hidden code. */
type Kind = {
  readonly mode: string;
  readonly pegs: number;
  readonly colours: number;
  readonly top: number;
};

/** Counts the right colors in the right place, and in a wrong place. */
export function feedback(guess: string, code: string): { readonly exact: number; readonly misplaced: number } {
  let exact = 0;
  let common = 0;
  for (let i = 0; i < code.length; i++) if (guess[i] === code[i]) exact++;
  for (let colour = 1; colour <= 9; colour++) {
    const digit = `${colour}`;
    common += Math.min(count(guess, digit), count(code, digit));
  }
  return { exact, misplaced: common - exact };
}

function count(text: string, digit: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text[i] === digit) count++;
  return count;
}

/** Returns all codes in order, as text. */
export function codesOf({ mode, pegs, colours, top }: Kind): readonly string[] {
  if (mode === 'number') return Array.from({ length: top }, (_, i) => `${i + 1}`);
  let codes = [''];
  for (let peg = 0; peg < pegs; peg++) codes = codes.flatMap((code) => Array.from({ length: colours }, (_, i) => `${code}${i + 1}`));
  return codes;
}

/** All codes of a kind, and the answer to every guess at every code: a number for each pair. */
class Book {
  readonly codes: readonly string[];
  readonly answers: Uint8Array;
  readonly #plans = new Map<string, number>();

  constructor(kind: Kind) {
    this.codes = codesOf(kind);
    const size = this.codes.length;
    this.answers = new Uint8Array(size * size);
    for (let a = 0; a < size; a++)
      for (let b = a; b < size; b++) {
        const { exact, misplaced } = feedback(this.codes[a], this.codes[b]);
        this.answers[a * size + b] = this.answers[b * size + a] = exact * 8 + misplaced;
      }
  }

  /** Returns the minimax guess after the given guesses (as indexes in `codes`) and answers. */
  guess(past: readonly (readonly [number, number])[]): number {
    const key = past.join(';');
    let guess = this.#plans.get(key);
    if (guess === undefined) {
      guess = this.#minimax(this.#consistent(past));
      this.#plans.set(key, guess);
    }
    return guess;
  }

  #consistent(past: readonly (readonly [number, number])[]): readonly number[] {
    const size = this.codes.length;
    const left: number[] = [];
    for (let code = 0; code < size; code++)
      if (past.every(([guess, answer]) => this.answers[guess * size + code] === answer)) left.push(code);
    return left;
  }

  #minimax(left: readonly number[]): number {
    const size = this.codes.length;
    const possible = new Uint8Array(size);
    for (const code of left) possible[code] = 1;
    const sizes = new Uint16Array(64);
    let best = 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (let guess = 0; guess < size; guess++) {
      sizes.fill(0);
      let worst = 0;
      for (let i = 0; i < left.length && worst <= fewest; i++) {
        const answer = this.answers[guess * size + left[i]];
        const now = sizes[answer] + 1;
        sizes[answer] = now;
        if (now > worst) worst = now;
      }
      // On a tie, a possible code is preferred over an impossible one; otherwise, the first is kept.
      if (worst < fewest || (worst === fewest && possible[guess] === 1 && possible[best] === 0)) {
        best = guess;
        fewest = worst;
      }
    }
    return best;
  }
}

const books = new Map<string, Book>();

function bookOf(kind: Kind): Book {
  const key = `${kind.pegs} ${kind.colours}`;
  const book = books.get(key) ?? new Book(kind);
  books.set(key, book);
  return book;
}

/** Returns what a breaker has read: the kind of code, and every guess with its answer. */
function readView({ view }: Turn): { readonly kind: Kind; readonly past: readonly (readonly [string, string])[] } {
  const data = view.seen.flatMap((item) => (item.kind === 'message' && item.data !== undefined ? [item.data as JsonObject] : []));
  if (data[0]?.['mode'] === undefined) throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const past = data.slice(1).map(({ guess, answer }) => [guess as string, answer as string] as const);
  return { kind: data[0] as Kind, past };
}

/** Returns the lowest and the highest number that are consistent with all answers. */
function between(kind: Kind, past: readonly (readonly [string, string])[]): readonly [number, number] {
  let [low, high] = [1, kind.top];
  for (const [guess, answer] of past) {
    if (answer === 'higher') low = Math.max(low, Number(guess) + 1);
    else high = Math.min(high, Number(guess) - 1);
  }
  return [low, high];
}

const minimax: Script = (turn) => {
  const { kind, past } = readView(turn);
  if (kind.mode === 'number') {
    const [low, high] = between(kind, past);
    return { text: `[guess ${(low + high) >> 1}]` };
  }
  if (kind.colours ** kind.pegs > 1296)
    throw new Fault(
      'input',
      `Minimax handles at most 1,296 codes, but there are ${kind.colours ** kind.pegs}. Use the script "consistent".`,
    );
  const book = bookOf(kind);
  const moves = past.map(([guess, answer]) => {
    const [exact, misplaced] = answer.split(' ').map(Number) as [number, number];
    return [placeOf(guess, kind.colours), exact * 8 + misplaced] as const;
  });
  return { text: `[guess ${book.codes[book.guess(moves)]}]` };
};

/** Returns the index of a code among all codes in order. */
function placeOf(code: string, colours: number): number {
  let place = 0;
  for (const peg of code) place = place * colours + Number(peg) - 1;
  return place;
}

/** Plays a random code that is consistent with all answers. */
const consistent: Script = (turn) => {
  const { kind, past } = readView(turn);
  if (kind.mode === 'number') {
    const [low, high] = between(kind, past);
    return { text: `[guess ${low + turn.rng.int(high - low + 1)}]` };
  }
  const fits = (code: string) =>
    past.every(([guess, answer]) => {
      const { exact, misplaced } = feedback(guess, code);
      return `${exact} ${misplaced}` === answer;
    });
  return { text: `[guess ${turn.rng.pick(codesOf(kind).filter(fits))}]` };
};

export const scripts: Readonly<Record<string, Script>> = { minimax, consistent };
