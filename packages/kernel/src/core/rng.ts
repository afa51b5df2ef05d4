/**
 * @file Seeded random numbers, derived by path: `rng(seed, 'step', 3)` is the same stream wherever and whenever it is created.
 *
 * An episode stores no generator state: random numbers depend only on the seed and the path, so episodes cannot affect each other, and a
 * replay or a fork draws the same numbers as the original.
 */

/** Seeds are integers from 0 to 2^53 − 1. */
export type Seed = number;

/** A random number generator that gives the same numbers for the same seed and path. */
export interface Rng {
  /** A number in [0, 1) with 32 random bits. */
  next(): number;
  /** An integer from 0 to n − 1, each equally likely. */
  int(n: number): number;
  /** One element, each equally likely. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
  /** The index drawn with probability proportional to its weight. */
  weighted(weights: readonly number[]): number;
}

const noWords = new Int32Array(0);
const numberWords = new Int32Array([1, 0, 0]);

/** The words that encode a number: a marker for numbers, its low and its high word. Valid until the next call. */
function wordsOfNumber(n: number): Int32Array {
  numberWords[1] = n | 0;
  numberWords[2] = Math.floor(n / 2 ** 32) | 0;
  return numberWords;
}

const texts = new Map<string, Int32Array>();

/** The words that encode a text: a marker for texts, its length, its characters. Paths repeat few texts, so these are cached. */
function wordsOf(text: string): Int32Array {
  const knownText = texts.get(text);
  if (knownText !== undefined) return knownText;
  const words = new Int32Array(text.length + 2);
  words[0] = 2;
  words[1] = text.length;
  for (let i = 0; i < text.length; i++) words[i + 2] = text.charCodeAt(i);
  if (texts.size < 1000 && text.length < 100) texts.set(text, words);
  return words;
}

/** The words that encode a path: for generators at a path that is reused with other seeds. */
export function wordsOfPath(...path: readonly string[]): Int32Array {
  return Int32Array.from(path.flatMap((text) => [...wordsOf(text)]));
}

/** The path below the seed: names and numbers, or the words that encode them. */
export type DicePath = readonly (string | number)[] | Int32Array;

/** Creates a random number generator from a seed and a path; the same seed and path always give the same numbers. */
export function rng(seed: Seed, ...path: readonly (string | number)[]): Rng {
  return new Dice(seed, path);
}

/**
 * The generator at a path, or at one numbered position after another below it, so that a hot loop creates no new ones: `new Dice(seed,
 * ['step']).at(3)` gives the same numbers as `rng(seed, 'step', 3)`. Lazy: most steps draw nothing, so the path is mixed into a state only
 * at the first draw. The output is sfc32's.
 */
export class Dice implements Rng {
  #seed: Seed;
  #path: DicePath;
  #place: number | undefined = undefined;
  #ready = false;
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;
  /** The state after mixing in seed and path. */
  #pathA = 0;
  #pathB = 0;
  #pathC = 0;
  #folded = false;

  constructor(seed: Seed, path: DicePath) {
    this.#seed = seed;
    this.#path = path;
  }

  get seed(): Seed {
    return this.#seed;
  }

  /** Moves to the start of the stream at another path, as a new generator would. */
  reset(seed: Seed, path: DicePath): void {
    this.#seed = seed;
    this.#path = path;
    this.#place = undefined;
    this.#ready = false;
    this.#folded = false;
  }

  /** Moves to the start of the stream at a numbered position below the path. */
  at(place: number): this {
    this.#place = place;
    this.#ready = false;
    return this;
  }

  /** The next 32 bits of an initialized generator. */
  #bits(): number {
    const t = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  #fold(): void {
    this.#ready = true;
    if (!this.#folded) this.#foldPath();
    this.#a = this.#pathA;
    this.#b = this.#pathB;
    this.#c = this.#pathC;
    // sfc32 needs a dozen rounds before every output bit depends on every state bit.
    this.#mix(this.#place === undefined ? noWords : wordsOfNumber(this.#place), 12);
    this.#counter = 13;
  }

  #foldPath(): void {
    this.#folded = true;
    this.#a = 0x9e3779b9 | 0;
    this.#b = 0x243f6a88;
    this.#c = 0xb7e15162 | 0;
    this.#mix(wordsOfNumber(this.#seed), 0);
    const path = this.#path;
    if (ArrayBuffer.isView(path)) this.#mix(path, 0);
    else for (const part of path) this.#mix(typeof part === 'number' ? wordsOfNumber(part) : wordsOf(part), 0);
    this.#pathA = this.#a;
    this.#pathB = this.#b;
    this.#pathC = this.#c;
  }

  /** Mixes in words, then runs rounds of sfc32. Uses local variables, because fields would be written at every word. */
  #mix(words: Int32Array, rounds: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    for (let i = 0; i < words.length; i++) {
      a = Math.imul(a ^ words[i]!, 0x85ebca6b);
      a ^= a >>> 15;
      b = (Math.imul(b ^ a, 0xc2b2ae35) + 0x27d4eb2f) | 0;
      b ^= b >>> 13;
      c = Math.imul(c + b, 0x165667b1) ^ a;
      c ^= c >>> 16;
    }
    for (let counter = 1; counter <= rounds; counter++) {
      const t = (a + b + counter) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + t) | 0;
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
  }

  next(): number {
    if (!this.#ready) this.#fold();
    return this.#bits() / 2 ** 32;
  }

  int(n: number): number {
    if (!(n >= 1 && n <= 2 ** 32 && Number.isInteger(n))) throw new RangeError(`rng.int takes an integer from 1 to 2^32, but got ${n}.`);
    // Checked here and not in #bits, so that #bits stays small enough to be inlined in loops.
    if (!this.#ready) this.#fold();
    // 2^32 is not a multiple of n: the lowest 2^32 mod n outcomes are drawn again, so that every value is exactly equally likely.
    let bits = this.#bits();
    while (bits < n && bits < 2 ** 32 % n) bits = this.#bits();
    // The remainder by a division: exact below 2^53, and much faster than % once numbers exceed 2^31.
    return bits - Math.floor(bits / n) * n;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('rng.pick needs a list with at least one item, but the list is empty.');
    return items[this.int(items.length)]!;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const out = items.slice();
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      const swapped = out[i]!;
      out[i] = out[j]!;
      out[j] = swapped;
    }
    return out;
  }

  weighted(weights: readonly number[]): number {
    let total = 0;
    for (const weight of weights) {
      if (!(weight >= 0)) throw new RangeError(`rng.weighted takes weights of 0 or more, but got ${weight}.`);
      total += weight;
    }
    if (!(total > 0 && total < Infinity)) throw new RangeError('rng.weighted needs at least one weight above 0 and a finite sum.');
    let left = this.next() * total;
    let last = 0;
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i]!;
      if (weight === 0) continue;
      last = i;
      left -= weight;
      if (left < 0) break;
    }
    return last;
  }
}
