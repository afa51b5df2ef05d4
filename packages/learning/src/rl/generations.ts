/**
 * @file Generations of the learner's own logs (UI-TARS-2, 2509.02544): after every n updates the good ones are used for imitation and the
 * rest for replay, in the generations that follow, until they are too old.
 */

import { type Rng, rng, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { imitation } from './losses/imitation.ts';
import type { Replay } from './recipe.ts';
import { type EpisodeSample, rowOfTurn, rowsOf } from './samples.ts';

/** The logs of one generation, by their use. */
export type Generation = {
  readonly good: readonly EpisodeSample[];
  readonly rest: readonly EpisodeSample[];
  /** The mean return of the generation, the baseline for the rest. */
  readonly usual: number;
};

/** Everything the next update depends on. */
export type GenerationsState = { readonly past: readonly Generation[]; readonly playing: readonly EpisodeSample[] };

type RouteRule = Extract<Replay, { kind: 'route' }>;

export class Generations {
  readonly #rule: RouteRule;
  readonly #seed: Seed;
  #past: readonly Generation[] = [];
  #playing: readonly EpisodeSample[] = [];

  constructor(rule: RouteRule, seed: Seed) {
    this.#rule = rule;
    this.#seed = seed;
  }

  /** Adds the episodes of an update; the last update of a generation routes its logs. */
  add(episodes: readonly EpisodeSample[], update: number): void {
    const { updates, least, keep } = this.#rule;
    this.#playing = [...this.#playing, ...episodes];
    if ((update + 1) % updates !== 0) return;
    const all = this.#playing;
    const { good = [], rest = [] } = Object.groupBy(all, ({ returned }) => (returned >= least ? 'good' : 'rest'));
    this.#past = [...this.#past, { good, rest, usual: meanOrZero(all.map(({ returned }) => returned)) }].slice(-keep);
    this.#playing = [];
  }

  /** Rows of good logs with their weights in the loss; imitated regardless of the current policy. */
  imitated(update: number): readonly TokenRow[] {
    const rows = this.#past.flatMap(({ good }) => good.flatMap(({ turns }) => turns.map(rowOfTurn)));
    return imitation(this.#drawn(rows, rng(this.#seed, 'good', update)), this.#rule.weight);
  }

  /** Rows of the rest, each with its episode's return above the generation's mean; replayed, and cut off where the policy has moved on. */
  replayed(update: number): readonly TokenRow[] {
    const rows = this.#past.flatMap(({ rest, usual }) =>
      rest.flatMap(({ turns, returned }) =>
        rowsOf(
          turns,
          turns.map(() => returned - usual),
        ),
      ),
    );
    return this.#drawn(rows, rng(this.#seed, 'rest', update));
  }

  write(): GenerationsState {
    return { past: this.#past, playing: this.#playing };
  }

  read({ past, playing }: GenerationsState): void {
    this.#past = past;
    this.#playing = playing;
  }

  #drawn(rows: readonly TokenRow[], dice: Rng): readonly TokenRow[] {
    const { rows: most } = this.#rule;
    return rows.length <= most ? rows : dice.shuffle(rows).slice(0, most);
  }
}
