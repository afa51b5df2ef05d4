/**
 * @file Many episodes in one context (ReLIC, 2410.02751): episodes of one task follow each other, and a learner sees the earlier ones before
 * the one it plays. Each update plays one more and learns from it alone, with the earlier ones as context; the last of a context learns from
 * all of them.
 */

import {
  type EpisodeEvent,
  type JsonObject,
  type Policy,
  rng,
  type Seat,
  type Seed,
  type Seen,
  type Turn,
  viewOf,
} from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { Recipe } from './recipe.ts';
import { type PlayedEpisode, type Players, withSalt } from './rollouts.ts';
import { type EpisodeSample, samplesOf } from './samples.ts';

/** A game of one task that goes on over several episodes. */
type Context = { readonly seed: Seed; readonly seen: Readonly<Record<Seat, readonly Seen[]>> };

export class EpisodeContexts {
  readonly #count: number;
  #contexts: readonly Context[] = [];
  #kept: readonly EpisodeSample[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /** The next episode of every context; new contexts where the last ones are full. */
  async play({ training }: Recipe, players: Players, update: number): Promise<readonly PlayedEpisode[]> {
    const { environment, learner, seed, seats } = players;
    const at = update % this.#count;
    if (at === 0) {
      const drawnTasks = players.tasks.draw(training.batch, update, rng(seed, 'update', update));
      this.#contexts = drawnTasks.map((drawnTask) => ({ seed: drawnTask.seed, seen: {} }));
    }
    const others = players.others(update);
    const mine = seats.filter((seat) => !Object.hasOwn(others, seat));
    const policy = withSalt(players.policy ?? learner.policy(), at);
    const played: PlayedEpisode[] = [];
    const next: Context[] = [];
    for (const [i, context] of this.#contexts.entries()) {
      const ownPolicy = after(policy, context.seen);
      const cast = { ...others, ...Object.fromEntries(mine.map((seat) => [seat, ownPolicy])) };
      const limits = training.turns === undefined ? {} : { limits: { turns: training.turns } };
      const [log] = (await rollout(environment, cast, { seeds: [context.seed], task: training.task ?? {}, ...limits })) as [
        readonly EpisodeEvent[],
      ];
      const before = (seat: Seat) => context.seen[seat] ?? [];
      const observation = Object.fromEntries(mine.map((seat) => [seat, [...before(seat), ...viewOf(log, seat).seen]]));
      next.push({ ...context, seen: observation });
      const game = at * this.#contexts.length + i;
      for (const sample of samplesOf(log, mine, { prompt: i, game })) played.push({ sample, log });
    }
    this.#contexts = next;
    return played;
  }

  /** Episodes of its context that the learner has read before those of an update. */
  earlier(update: number): number {
    return update % this.#count;
  }

  /** What an update learns from: the new episodes, or at the end of a context all of them. */
  lesson(episodes: readonly EpisodeSample[], update: number): readonly EpisodeSample[] {
    this.#kept = update % this.#count === 0 ? episodes : [...this.#kept, ...episodes];
    return update % this.#count === this.#count - 1 ? this.#kept : episodes;
  }

  write(): JsonObject {
    return { contexts: this.#contexts, kept: this.#kept };
  }

  read(from: JsonObject): void {
    this.#contexts = from['contexts'] as readonly Context[];
    this.#kept = from['kept'] as readonly EpisodeSample[];
  }
}

/** The same policy, which has seen earlier episodes. */
function after(policy: Policy, observation: Context['seen']): Policy {
  const withContext = (turn: Turn): Turn => {
    const { seat } = turn.ask;
    return { ...turn, view: { ...turn.view, seen: [...(observation[seat] ?? []), ...turn.view.seen] } };
  };
  return { name: policy.name, act: (turns) => policy.act(turns.map(withContext)) };
}
