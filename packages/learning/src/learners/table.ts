/** @file Rows of logits of different lengths in one array, with their softmax, a reference, a gradient, and Adam or plain descent. */

import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';

/** `mirror`: the step of mirror descent, in which a rare choice moves as far as a common one for the same gradient signal. */
type Optimiser = 'adam' | 'sgd' | 'mirror';

/** Choices rarer than this move as if they had this probability. */
const rarest = 0.02;

const lists = ['logits', 'reference', 'first', 'second'] as const;

export class LogitTable {
  readonly optimiser: Optimiser;
  sets = 0;
  #offsets = new Int32Array(16);
  #logits = new Float64Array(64);
  #chances = new Float64Array(64);
  /** Log-probabilities of the reference. */
  #reference = new Float64Array(64);
  #gradient = new Float64Array(64);
  /** The pulls on each choice since the last settling; and for each set the total pull and the number of decisions. */
  #pulls = new Float64Array(64);
  #pulled = new Float64Array(16);
  #visits = new Int32Array(16);
  #touched: number[] = [];
  /** Sets with a gradient that is not yet applied. */
  #moving: number[] = [];
  #first = new Float64Array(64);
  #second = new Float64Array(64);
  #steps = 0;

  constructor(optimiser: Optimiser) {
    this.optimiser = optimiser;
  }

  /** Adds a set of equally likely choices; returns its number. */
  add(choices: number): number {
    const set = this.sets++;
    const at = this.#offsets[set];
    if (set + 2 > this.#offsets.length) this.#growSets();
    while (at + choices > this.#logits.length) this.#growRows();
    this.#offsets[set + 1] = at + choices;
    this.#chances.fill(1 / choices, at, at + choices);
    this.#reference.fill(-Math.log(choices), at, at + choices);
    return set;
  }

  /** The offset of a set's row. */
  at(set: number): number {
    return this.#offsets[set];
  }

  /** The probabilities of all rows; those of a set begin at `at(set)`. */
  get chances(): Float64Array {
    return this.#chances;
  }

  referenceChances(set: number): Float64Array {
    const out = new Float64Array(this.#offsets[set + 1]);
    for (let i = this.#offsets[set]; i < out.length; i++) out[i] = Math.exp(this.#reference[i]);
    return out;
  }

  /** The choice for a random number from 0 to 1. */
  draw(set: number, roll: number): number {
    const from = this.#offsets[set];
    const last = this.#offsets[set + 1] - 1;
    let left = roll;
    for (let i = from; i < last; i++) {
      left -= this.#chances[i];
      if (left < 0) return i - from;
    }
    return last - from;
  }

  entropy(set: number): number {
    let sum = 0;
    for (let i = this.#offsets[set]; i < this.#offsets[set + 1]; i++) {
      const chance = this.#chances[i];
      if (chance > 0) sum -= chance * Math.log(chance);
    }
    return sum;
  }

  /** Kullback-Leibler divergence of the set's policy from the reference. */
  divergence(set: number): number {
    let sum = 0;
    for (let i = this.#offsets[set]; i < this.#offsets[set + 1]; i++) {
      const chance = this.#chances[i];
      if (chance > 0) sum += chance * (Math.log(chance) - this.#reference[i]);
    }
    return sum;
  }

  /** Adds a decision: its choice becomes likelier by `weight`. Cheap; `settle` turns all of them into a gradient. */
  pull(set: number, choice: number, weight: number): void {
    if (this.#visits[set] === 0) this.#touched.push(set);
    this.#visits[set] = this.#visits[set] + 1;
    this.#pulled[set] = this.#pulled[set] + weight;
    const at = this.#offsets[set] + choice;
    this.#pulls[at] = this.#pulls[at] + weight;
  }

  /** Adds `scale` × the gradient of −Σ weight·log-probability + kl·Σ divergence − entropy·Σ entropy over all decisions pulled. */
  settle(scale: number, kl: number, entropy: number): void {
    for (const set of this.#touched) {
      const from = this.#offsets[set];
      const to = this.#offsets[set + 1];
      const visits = this.#visits[set];
      const pulled = this.#pulled[set];
      const divergence = kl === 0 ? 0 : this.divergence(set);
      const spread = entropy === 0 ? 0 : this.entropy(set);
      for (let i = from; i < to; i++) {
        const chance = this.#chances[i];
        let slope = chance * pulled - this.#pulls[i];
        if (chance > 0 && (kl !== 0 || entropy !== 0)) {
          const log = Math.log(chance);
          slope += visits * chance * (kl * (log - this.#reference[i] - divergence) + entropy * (log + spread));
        }
        this.#gradient[i] = this.#gradient[i] + scale * slope;
        this.#pulls[i] = 0;
      }
      this.#pulled[set] = 0;
      this.#visits[set] = 0;
      this.#moving.push(set);
    }
    this.#touched.length = 0;
  }

  gradient(): Float64Array {
    return this.#gradient.slice(0, this.#offsets[this.sets]);
  }

  /** Applies the gradient and clears it. Adam moves every row because of its momentum; plain descent only those with a gradient. */
  step(rate: number): void {
    this.#steps++;
    if (this.optimiser === 'adam') this.#adam(rate);
    else for (const set of this.#moving) this.#descend(set, rate);
    this.#moving.length = 0;
  }

  #descend(set: number, rate: number): void {
    for (let i = this.#offsets[set]; i < this.#offsets[set + 1]; i++) {
      const stretch = this.optimiser === 'mirror' ? Math.max(rarest, this.#chances[i]) : 1;
      this.#logits[i] = this.#logits[i] - (rate * this.#gradient[i]) / stretch;
      this.#gradient[i] = 0;
    }
    this.#soften(set);
  }

  #adam(rate: number): void {
    const [keep, keepSquares] = [0.9, 0.999];
    const correction = Math.sqrt(1 - keepSquares ** this.#steps) / (1 - keep ** this.#steps);
    const end = this.#offsets[this.sets];
    for (let i = 0; i < end; i++) {
      const slope = this.#gradient[i];
      const first = keep * this.#first[i] + (1 - keep) * slope;
      const second = keepSquares * this.#second[i] + (1 - keepSquares) * slope * slope;
      this.#first[i] = first;
      this.#second[i] = second;
      this.#logits[i] = this.#logits[i] - (rate * correction * first) / (Math.sqrt(second) + 1e-8);
      this.#gradient[i] = 0;
    }
    for (let set = 0; set < this.sets; set++) this.#soften(set);
  }

  #soften(set: number): void {
    const from = this.#offsets[set];
    const to = this.#offsets[set + 1];
    let most = -Infinity;
    for (let i = from; i < to; i++) if (this.#logits[i] > most) most = this.#logits[i];
    let sum = 0;
    for (let i = from; i < to; i++) {
      const weight = Math.exp(this.#logits[i] - most);
      this.#chances[i] = weight;
      sum += weight;
    }
    for (let i = from; i < to; i++) this.#chances[i] = this.#chances[i] / sum;
  }

  /** Makes the current policy the reference. */
  refer(): void {
    const end = this.#offsets[this.sets];
    for (let i = 0; i < end; i++) this.#reference[i] = Math.log(Math.max(this.#chances[i], 1e-300));
  }

  /** Sets a row of logits, for example to choose where play begins. */
  place(set: number, logits: ArrayLike<number>): void {
    this.#logits.set(Array.from(logits), this.#offsets[set]);
    this.#soften(set);
  }

  write(): JsonObject {
    const end = this.#offsets[this.sets];
    const rows = this.#rows();
    return {
      optimiser: this.optimiser,
      steps: this.#steps,
      offsets: [...this.#offsets.subarray(0, this.sets + 1)],
      ...Object.fromEntries(lists.map((name) => [name, Buffer.from(rows[name].slice(0, end).buffer).toString('base64')])),
    };
  }

  read(from: JsonObject): void {
    if (from['optimiser'] !== this.optimiser)
      throw new Fault(
        'input',
        `This checkpoint was made with ${from['optimiser']}, but the learner uses ${this.optimiser}. Use the same optimizer.`,
      );
    const offsets = from['offsets'] as readonly number[];
    this.sets = 0;
    for (let set = 0; set + 1 < offsets.length; set++) this.add(offsets[set + 1] - offsets[set]);
    const rows = this.#rows();
    for (const name of lists) {
      const bytes = Buffer.from(from[name] as string, 'base64');
      rows[name].set(new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
    }
    this.#steps = from['steps'] as number;
    this.#gradient.fill(0);
    this.#moving.length = 0;
    for (let set = 0; set < this.sets; set++) this.#soften(set);
  }

  #rows(): Readonly<Record<(typeof lists)[number], Float64Array>> {
    return { logits: this.#logits, reference: this.#reference, first: this.#first, second: this.#second };
  }

  #growRows(): void {
    this.#logits = doubleLength(this.#logits);
    this.#chances = doubleLength(this.#chances);
    this.#reference = doubleLength(this.#reference);
    this.#gradient = doubleLength(this.#gradient);
    this.#pulls = doubleLength(this.#pulls);
    this.#first = doubleLength(this.#first);
    this.#second = doubleLength(this.#second);
  }

  #growSets(): void {
    const offsets = new Int32Array(this.#offsets.length * 2);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    this.#pulled = doubleLength(this.#pulled);
    const visits = new Int32Array(offsets.length);
    visits.set(this.#visits);
    this.#visits = visits;
  }
}

function doubleLength(list: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const out = new Float64Array(list.length * 2);
  out.set(list);
  return out;
}
