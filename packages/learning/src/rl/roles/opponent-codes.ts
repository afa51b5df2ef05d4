/**
 * @file A policy that is told its opponent's type (CLAM, 2401.00132): an encoder of a seat's own observations is trained by contrast, a
 * slow copy of it embeds the observations so far, and the policy reads which of a few opponent profiles is nearest. The encoder receives no
 * gradient from rewards.
 */

import { type JsonObject, rng, type Seed, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { cropOf, Encoder, type Observations, unit } from './contrast.ts';
import { withNote } from './reading.ts';
import type { RoleRule, RoleTurn } from './role-learner.ts';

/** The number of observation kinds, embedding dimensions, remembered sequences, and pairs per step. */
const [kinds, width, room, pairs] = [64, 8, 256, 16];
const learning = { rate: 0.5, temperature: 0.2 };
/** How far the slow copy and the opponent profiles move at each step. */
const [follow, drift] = [0.05, 0.05];
/** Embeddings less similar than this are different opponents, as long as there is room for another profile. */
const alike = 0.8;

export class OpponentCodes implements RoleRule {
  readonly #codes: number;
  readonly #reads: number | undefined;
  readonly #seed: Seed;
  readonly #encoder: Encoder;
  readonly #slow: Encoder;
  #usual: (readonly number[])[] = [];
  #met: Observations[] = [];
  #steps = 0;

  constructor(codes: number, { reads, seed }: { readonly reads: number | undefined; readonly seed: Seed }) {
    this.#codes = codes;
    this.#reads = reads;
    this.#seed = seed;
    this.#encoder = new Encoder(width, kinds, rng(seed, 'encoder'));
    this.#slow = new Encoder(width, kinds, rng(seed, 'encoder'));
  }

  of(turn: Turn): RoleTurn {
    const observed = observationsOf(turn);
    if (observed.length > 1) this.#met = [...this.#met.slice(1 - room), observed];
    return { who: 0, tag: 0, turn: withNote(turn, `The opponent is of kind ${this.codeOf(observed)}.`, this.#reads) };
  }

  whoOf(): number {
    return 0;
  }

  /** The nearest opponent profile, from 1 on; 0 without observations. */
  codeOf(observed: Observations): number {
    if (observed.length === 0 || this.#usual.length === 0) return 0;
    return 1 + nearest(this.#usual, this.#slow.of(observed)).at;
  }

  stepped(): void {
    if (this.#met.length < pairs) return;
    const dice = rng(this.#seed, 'contrast', this.#steps++);
    const observations = Array.from({ length: pairs }, () => dice.pick(this.#met));
    this.#encoder.learn(
      observations.map((otherObservations) => [cropOf(otherObservations, dice), cropOf(otherObservations, dice)] as const),
      learning,
    );
    this.#slow.weights = this.#slow.weights.map((row, d) => row.map((value, k) => value + follow * (this.#encoder.weights[d][k] - value)));
    for (const otherObservations of observations) this.#settle(this.#slow.of(otherObservations));
  }

  write(): JsonObject {
    const { weights } = this.#encoder;
    return { weights, slow: this.#slow.weights, usual: this.#usual, met: this.#met, steps: this.#steps };
  }

  read(state: JsonObject): void {
    this.#encoder.weights = state['weights'] as number[][];
    this.#slow.weights = state['slow'] as number[][];
    this.#usual = state['usual'] as number[][];
    this.#met = state['met'] as Observations[];
    this.#steps = state['steps'] as number;
  }

  /** An opponent unlike all others becomes a new profile while there is room; otherwise it shifts the nearest one slightly. */
  #settle(embedding: readonly number[]): void {
    const near = nearest(this.#usual, embedding);
    if (this.#usual.length < this.#codes && near.likeness < alike) this.#usual = [...this.#usual, embedding];
    else this.#usual = this.#usual.map((item, i) => (i === near.at ? unit(item.map((x, d) => x + drift * (embedding[d] - x))) : item));
  }
}

function nearest(list: readonly (readonly number[])[], to: readonly number[]): { readonly at: number; readonly likeness: number } {
  let match = { at: 0, likeness: Number.NEGATIVE_INFINITY };
  list.forEach((item, at) => {
    const likeness = item.reduce((sum, x, d) => sum + x * to[d], 0);
    if (likeness > match.likeness) match = { at, likeness };
  });
  return match;
}

/**
 * Each message after one of the seat's actions, with that action and the one before; numbers in it are ignored, so that rounds are
 * comparable.
 */
function observationsOf({ view: { seen } }: Turn): Observations {
  const matches: number[] = [];
  let [before, action] = ['', ''];
  for (const item of seen) {
    if (item.kind === 'action') [before, action] = [action, item.action.text];
    else if (item.kind === 'message' && action !== '') matches.push(bucketOf(`${before} ${action} ${item.text.replace(/\d+/g, '#')}`));
  }
  return matches;
}

function bucketOf(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) % kinds;
}
