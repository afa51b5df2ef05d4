/**
 * @file The training loop: rollout, advantages, weights, update. Everything a method decides is in its recipe; everything else is passed
 * in.
 *
 * With `stale` the next batch is played while the gradient of this one is computed, with the same weights: one update of staleness,
 * deterministic, so that a resumed run makes the identical next update.
 */

import {
  type AnyEnvironment,
  Fault,
  type JsonObject,
  type Learner,
  type Policy,
  rng,
  type Seat,
  type Seed,
  type TokenRow,
} from '../../core/index.ts';
import { meanOrZero } from '../../core/mean.ts';
import { Tasks } from '../curricula/seed-pool.ts';
import { Advantages, type TurnRewarder } from './advantage.ts';
import { membersOf } from './baselines/group.ts';
import { collapse } from './collapse.ts';
import { descend, type GradientBatch, minibatchesOf } from './gradient.ts';
import { PastEntropy } from './losses/band.ts';
import type { Recipe } from './recipe.ts';
import { beyondLoop } from './recipe-support.ts';
import { inBand, rise, SelfImitation, SuccessBuffer } from './replay.ts';
import { playGames, type Rollouts } from './rollouts.ts';
import { type EpisodeSample, rowsOf, type TurnAdvantage, type TurnSample } from './samples.ts';
import { between } from './schedule.ts';
import { selectEpisodes } from './select-episodes.ts';

export interface LoopParts {
  readonly environment: AnyEnvironment;
  readonly learner: Learner;
  readonly seed: Seed;
  /** The agents on the seats that the learner does not take: frozen agents, scripts, other learners. */
  readonly others?: Readonly<Record<Seat, Policy>>;
  /** The same, drawn anew for every update: a league. The learner takes the remaining seats, and is trained only there. */
  readonly cast?: (update: number) => Readonly<Record<Seat, Policy>>;
  readonly judge?: TurnRewarder;
  /** What others have shown, as rows to imitate, anew for every update. */
  readonly shown?: (update: number) => Promise<readonly TokenRow[]>;
  /** Play the next batch during this one's update. */
  readonly stale?: boolean;
  /** Plays elsewhere what would be played here: workers on other machines. */
  readonly rollouts?: Rollouts;
  /** Receives the figures of every update. */
  readonly tell?: (metrics: Metrics) => void;
}

/** What is known after an update. */
export interface Metrics {
  readonly update: number;
  readonly games: number;
  /** Mean return of the learner's seats. */
  readonly returned: number;
  /** The largest of these returns less the smallest. */
  readonly spread: number;
  /** Share of the learner's games that paid more than nothing, those that paid nothing half. */
  readonly won: number;
  readonly entropy: number;
  readonly kl: number;
  /** Share of tokens whose ratio was cut off. */
  readonly clipped: number;
  /** Share of turns that broke the rules. */
  readonly invalid: number;
  readonly tokens: number;
  readonly loss: number;
}

/** Everything the next update depends on. */
export type LoopCheckpoint = {
  readonly update: number;
  readonly learner: string;
  readonly advantages: JsonObject;
  readonly waiting: readonly EpisodeSample[] | null;
  readonly entropy: JsonObject;
  readonly successes: readonly (readonly [string, readonly EpisodeSample[]])[];
  readonly memory: { readonly kept: readonly Recalled[]; readonly usual: readonly number[] };
  readonly steps: readonly Step[];
  readonly tasks: JsonObject;
};

/** An episode as it is remembered. */
type Recalled = { readonly episode: EpisodeSample; readonly reward: number; readonly update: number };
/** A turn as it is remembered. */
type Step = { readonly turn: TurnSample; readonly advantage: number };

/** Turns that are remembered at most, and played back in one update. */
const stepRoom = 512;
const stepShare = 64;

/** Plays episodes, weighs their tokens and updates a learner, update by update. */
export class TrainingLoop {
  readonly recipe: Recipe;
  readonly updates: number;
  readonly #parts: LoopParts;
  readonly #advantages: Advantages;
  readonly #seats: readonly Seat[];
  readonly #tasks: Tasks;
  #update = 0;
  #waiting: readonly EpisodeSample[] | null = null;
  readonly #entropy = new PastEntropy();
  readonly #successes: SuccessBuffer<EpisodeSample>;
  readonly #memory: SelfImitation<Recalled>;
  #steps: readonly Step[] = [];

  constructor(recipe: Recipe, parts: LoopParts) {
    this.recipe = recipe;
    this.#parts = parts;
    this.updates = Math.ceil(recipe.training.games / recipe.training.batch);
    this.#advantages = new Advantages(recipe, parts.judge);
    const wrong = beyondLoop(recipe, { judge: parts.judge !== undefined, shown: parts.shown !== undefined });
    if (wrong !== null) throw new Fault('input', `The recipe ${recipe.name} ${wrong}; the loop cannot train it as it is.`);
    this.#successes = new SuccessBuffer(recipe.replay.kind === 'inject' ? recipe.replay.keep : 0);
    this.#memory = recipe.replay.kind === 'imitate' ? new SelfImitation(recipe.replay.room, recipe.replay.age) : new SelfImitation();
    this.#seats = parts.environment.seats(parts.environment.task(recipe.training.task ?? {}));
    this.#tasks = new Tasks(recipe.curriculum, parts.seed);
  }

  get update(): number {
    return this.#update;
  }

  /** Makes updates until there are so many, or the run has collapsed; returns why it stopped early, or null. */
  async run(updates: number = this.updates): Promise<string | null> {
    while (this.#update < Math.min(updates, this.updates)) {
      const metrics = await this.#step();
      this.#parts.tell?.(metrics);
      const reason = collapse(metrics);
      if (reason !== null) return reason;
    }
    return null;
  }

  async save(): Promise<LoopCheckpoint> {
    return {
      update: this.#update,
      learner: await this.#parts.learner.save(),
      advantages: this.#advantages.write(),
      waiting: this.#waiting,
      entropy: this.#entropy.write(),
      successes: this.#successes.write(),
      memory: this.#memory.write(),
      steps: this.#steps,
      tasks: this.#tasks.write(),
    };
  }

  async load({ update, learner, advantages, waiting, entropy, successes, memory, steps, tasks }: LoopCheckpoint): Promise<void> {
    this.#update = update;
    await this.#parts.learner.load(learner);
    this.#advantages.read(advantages);
    this.#waiting = waiting;
    this.#entropy.read(entropy);
    this.#successes.read(successes);
    this.#memory.read(memory);
    this.#steps = steps;
    this.#tasks.read(tasks);
  }

  async #step(): Promise<Metrics> {
    const { learner, stale = false } = this.#parts;
    const { training, loss } = this.recipe;
    const episodes = this.#waiting ?? (await this.#play(this.#update));
    const done = this.#update / Math.max(1, this.updates - 1);
    const kept = this.#injected(selectEpisodes(episodes, this.recipe));
    const advantages = this.#advantages.of(kept);
    const batch: GradientBatch = {
      ...{ learner, recipe: this.recipe, episodes: kept, advantages, update: this.#update, done, past: this.#entropy },
      recalled: [...this.#imitated(kept), ...(await this.#replayed(kept, advantages))],
      shown: (await this.#parts.shown?.(this.#update)) ?? [],
    };
    const parts = minibatchesOf(batch, rng(this.#parts.seed, 'minibatch', this.#update));
    const next = stale && this.#update + 1 < this.updates ? await this.#begin(this.#update + 1) : null;
    const rate = between(training.rate, done);
    // Games that are played here read the weights, so they end before the first of several steps; a single step waits for them.
    if (parts.length > 1 && this.#parts.rollouts === undefined) await next?.games;
    const [{ measured, clipped }, waiting] = await Promise.all([descend(parts, rate), next?.games ?? null]);
    this.#entropy.add(measured['entropy'] ?? 0);
    await learner.optimStep({ rate });
    this.#tasks.learn(episodes, this.#update);
    this.#waiting = waiting;
    this.#update++;
    const refresh = loss.kl?.refresh ?? null;
    if (refresh !== null && this.#update % refresh === 0) await learner.refer();
    return this.#metrics(episodes, measured, clipped);
  }

  #metrics(episodes: readonly EpisodeSample[], measured: Readonly<Record<string, number>>, clipped: number): Metrics {
    const turns = episodes.reduce((sum, episode) => sum + episode.turns.length, 0);
    return {
      update: this.#update,
      games: this.#update * this.recipe.training.batch,
      returned: meanOrZero(episodes.map(({ returned }) => returned)),
      spread: spreadOf(episodes.map(({ returned }) => returned)),
      won: meanOrZero(episodes.map(({ returned }) => (Math.sign(returned) + 1) / 2)),
      entropy: measured['entropy'] ?? 0,
      kl: measured['kl'] ?? 0,
      clipped,
      invalid: episodes.reduce((sum, { invalid }) => sum + invalid, 0) / Math.max(1, turns),
      tokens: measured['tokens'] ?? 0,
      loss: measured['loss'] ?? 0,
    };
  }

  /** Episodes under way. A gradient may block this thread to its end, so rollouts elsewhere are started before it begins. */
  async #begin(update: number): Promise<{ readonly games: Promise<readonly EpisodeSample[]> }> {
    if (this.#parts.rollouts === undefined) return { games: this.#play(update) };
    const { promise: underway, resolve } = Promise.withResolvers<void>();
    const games = this.#play(update, resolve);
    await Promise.race([underway, games]);
    return { games };
  }

  #play(update: number, underway?: () => void): Promise<readonly EpisodeSample[]> {
    const { environment, learner, seed, cast, others = {}, rollouts } = this.#parts;
    const players = { environment, learner, seed, seats: this.#seats, others: cast ?? (() => others), tasks: this.#tasks, rollouts };
    return playGames(this.recipe, players, { update, ...(underway !== undefined && { underway }) });
  }

  /** Where all of a group failed, one gives way to a success of old at the same seat; and successes are remembered. */
  #injected(episodes: readonly EpisodeSample[]): readonly EpisodeSample[] {
    if (this.recipe.replay.kind !== 'inject') return episodes;
    const out = [...episodes];
    const dice = rng(this.#parts.seed, 'inject', this.#update);
    for (const members of membersOf(episodes.map(({ prompt, seat }) => prompt * this.#seats.length + this.#seats.indexOf(seat)))) {
      const { seat, prompt } = episodes[members[0] as number] as EpisodeSample;
      const found = this.#successes.inject(
        seat,
        members.map((i) => (episodes[i] as EpisodeSample).returned),
        dice,
      );
      if (found !== null) out[members[found.at] as number] = { ...found.episode, prompt };
    }
    for (const episode of episodes) if (episode.returned > 0.1) this.#successes.add(episode.seat, episode);
    return out;
  }

  /** Rows of own good episodes of the last updates, judged anew, counting more as training goes on; and this batch's are remembered. */
  #imitated(episodes: readonly EpisodeSample[]): readonly TokenRow[] {
    const { replay } = this.recipe;
    if (replay.kind !== 'imitate') return [];
    const weight = rise(this.#update, replay.rise);
    const recalled = this.#memory.recalled(this.#update).flatMap(({ episode, advantage }) => {
      const { turns } = episode.episode;
      return rowsOf(
        turns,
        turns.map(() => weight * advantage),
      );
    });
    for (const seat of this.#seats) {
      const own = episodes.filter((episode) => episode.seat === seat);
      const lessons = own.map((episode) => ({ episode, reward: episode.returned, update: this.#update }));
      if (own.length > 0) this.#memory.add(lessons, meanOrZero(own.map(({ returned }) => returned)));
    }
    return recalled;
  }

  /** Turns of old that the policy of today finds neither new nor old (WebRL); and this batch's good ones are remembered. */
  async #replayed(episodes: readonly EpisodeSample[], advantages: readonly ArrayLike<TurnAdvantage>[]): Promise<readonly TokenRow[]> {
    const { replay } = this.recipe;
    if (replay.kind !== 'band') return [];
    const steps = this.#steps;
    const rows = steps.flatMap(({ turn, advantage }) => rowsOf([turn], [advantage]));
    const logprobs = rows.length === 0 ? [] : await this.#parts.learner.logprobs(rows);
    const inside = rows.filter(({ mask }, i) => {
      const own = Array.from(mask).flatMap((bit, t) => (bit === 0 ? [] : [(logprobs[i] as ArrayLike<number>)[t] as number]));
      return inBand(Math.exp(meanOrZero(own)), replay.low, replay.high);
    });
    const good = episodes.flatMap(({ turns, returned }, i) =>
      returned <= 0 ? [] : turns.map((turn, t): Step => ({ turn, advantage: Number(advantages[i]?.[t] ?? 0) })),
    );
    this.#steps = [...steps, ...good].slice(-stepRoom);
    return inside.slice(-stepShare);
  }
}

function spreadOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
}
