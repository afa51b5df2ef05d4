/**
 * @file Implements the replay slot: past successes that replace failures at the same task, the learner's own good episodes, turns of medium
 * likelihood, generations.
 */

import { type JsonObject, type Learner, rng, type Seat, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { membersOf } from './baselines/group.ts';
import { Generations, type GenerationsState } from './generations.ts';
import type { Recipe } from './recipe.ts';
import { inBand, rise, SelfImitation, SuccessBuffer } from './replay.ts';
import { type EpisodeSample, rowOfTurn, rowsOf, type TurnAdvantage, type TurnSample } from './samples.ts';

/** A remembered episode. */
type Recalled = { readonly episode: EpisodeSample; readonly reward: number; readonly update: number };
/** A remembered turn. */
type Step = { readonly turn: TurnSample; readonly advantage: number };

/** The maximum number of turns remembered, and replayed in one update. */
const stepRoom = 512;
const stepShare = 64;
/** The minimum return of a success. */
const success = 0.1;

export class Recollection {
  readonly #recipe: Recipe;
  readonly #learner: Learner;
  readonly #seed: Seed;
  readonly #seats: readonly Seat[];
  readonly #successes: SuccessBuffer<EpisodeSample>;
  readonly #memory: SelfImitation<Recalled>;
  readonly #generations: Generations | null;
  #steps: readonly Step[] = [];

  constructor(
    recipe: Recipe,
    { learner, seed, seats }: { readonly learner: Learner; readonly seed: Seed; readonly seats: readonly Seat[] },
  ) {
    const { replay } = recipe;
    this.#recipe = recipe;
    this.#learner = learner;
    this.#seed = seed;
    this.#seats = seats;
    this.#successes = new SuccessBuffer(replay.kind === 'inject' ? replay.keep : 0);
    this.#memory = replay.kind === 'imitate' ? new SelfImitation(replay.room, replay.age) : new SelfImitation();
    this.#generations = replay.kind === 'route' ? new Generations(replay, seed) : null;
  }

  /** Replaces one episode of a completely failed group by a past success of the same task and seat; remembers new successes. */
  injected(episodes: readonly EpisodeSample[], update: number): readonly EpisodeSample[] {
    if (this.#recipe.replay.kind !== 'inject') return episodes;
    const out = [...episodes];
    const dice = rng(this.#seed, 'inject', update);
    for (const members of membersOf(episodes.map(({ prompt, seat }) => prompt * this.#seats.length + this.#seats.indexOf(seat)))) {
      const group = members.map((i) => episodes[i]);
      const { prompt, game } = group[0];
      const match = this.#successes.inject(
        taskOf(group[0]),
        group.map(({ returned }) => returned),
        dice,
      );
      if (match !== null) out[members[match.at]] = { ...match.episode, prompt, game };
    }
    for (const episode of episodes) if (episode.returned > success) this.#successes.add(taskOf(episode), episode);
    return out;
  }

  /** The advantages, scaled up for groups without a lesson if the recipe sets `rescale` (RAPO). */
  scaled(episodes: readonly EpisodeSample[], advantages: readonly ArrayLike<TurnAdvantage>[]): readonly ArrayLike<TurnAdvantage>[] {
    const { replay } = this.#recipe;
    if (replay.kind !== 'inject' || replay.rescale !== true) return advantages;
    const groups = [...Map.groupBy(episodes, ({ prompt, seat }) => `${prompt}/${seat}`).values()];
    const teaching = groups.filter((group) => group.some(({ returned }) => returned !== group[0]?.returned)).length;
    if (teaching === 0) return advantages;
    return advantages.map((list) =>
      Array.from(list, (turnAdvantage) =>
        typeof turnAdvantage === 'number'
          ? (turnAdvantage * groups.length) / teaching
          : Array.from(turnAdvantage, (each) => (each * groups.length) / teaching),
      ),
    );
  }

  /** Remembered rows that this update also trains on. */
  async rows(
    episodes: readonly EpisodeSample[],
    advantages: readonly ArrayLike<TurnAdvantage>[],
    update: number,
  ): Promise<readonly TokenRow[]> {
    const routed = this.#generations?.replayed(update) ?? [];
    this.#generations?.add(episodes, update);
    return [...this.#recalled(episodes, update), ...(await this.#replayed(episodes, advantages)), ...routed];
  }

  /** Rows of good logs of past generations, with their weights in the loss; empty without routing. */
  imitated(update: number): readonly TokenRow[] {
    return this.#generations?.imitated(update) ?? [];
  }

  write(): JsonObject {
    return {
      ...{ successes: this.#successes.write(), memory: this.#memory.write(), steps: this.#steps },
      ...(this.#generations !== null && { generations: this.#generations.write() }),
    };
  }

  read(from: JsonObject): void {
    const { successes, memory, steps, generations } = from as Written;
    if (generations !== undefined) this.#generations?.read(generations);
    this.#successes.read(successes);
    this.#memory.read(memory);
    this.#steps = steps;
  }

  /**
   * Rows of the learner's own good episodes of the last updates, with recomputed advantages and a weight that grows during training;
   * remembers this batch's.
   */
  #recalled(episodes: readonly EpisodeSample[], update: number): readonly TokenRow[] {
    const { replay } = this.#recipe;
    if (replay.kind !== 'imitate') return [];
    const weight = rise(update, replay.rise);
    const recalled = this.#memory.recalled(update).flatMap(({ episode, advantage }) => {
      const { turns } = episode.episode;
      return rowsOf(
        turns,
        turns.map(() => weight * advantage),
      );
    });
    for (const seat of this.#seats) {
      const episodeSamples = episodes.filter((episode) => episode.seat === seat);
      const lessons = episodeSamples.map((episode) => ({ episode, reward: episode.returned, update }));
      if (episodeSamples.length > 0) this.#memory.add(lessons, meanOrZero(episodeSamples.map(({ returned }) => returned)));
    }
    return recalled;
  }

  /** Past turns that are neither too likely nor too unlikely under the current policy (WebRL); remembers this batch's good ones. */
  async #replayed(episodes: readonly EpisodeSample[], advantages: readonly ArrayLike<TurnAdvantage>[]): Promise<readonly TokenRow[]> {
    const { replay } = this.#recipe;
    if (replay.kind !== 'band') return [];
    const steps = this.#steps;
    const rows = steps.flatMap(({ turn, advantage }) => rowsOf([turn], [advantage]));
    const logprobs = rows.length === 0 ? [] : await this.#learner.logprobs(rows);
    const inside = rows.filter((_, i) => {
      const { mask } = rowOfTurn(steps[i].turn);
      const ownItems = mask.flatMap((bit, t) => (bit === 0 ? [] : [logprobs[i][t]]));
      return inBand(Math.exp(meanOrZero(ownItems)), replay.low, replay.high);
    });
    const good = episodes.flatMap(({ turns, returned }, i) =>
      returned <= 0 ? [] : turns.map((turn, t): Step => ({ turn, advantage: Number(advantages[i]?.[t] ?? 0) })),
    );
    this.#steps = [...steps, ...good].slice(-stepRoom);
    return inside.slice(-stepShare);
  }
}

/** Successes are stored by task and seat, because the seats of a game have different tasks. */
function taskOf({ key, seat }: EpisodeSample): string {
  return `${key ?? ''} ${seat}`;
}

type Written = {
  readonly successes: readonly (readonly [string, readonly EpisodeSample[]])[];
  readonly memory: { readonly kept: readonly Recalled[]; readonly usual: readonly number[] };
  readonly steps: readonly Step[];
  readonly generations?: GenerationsState;
};
