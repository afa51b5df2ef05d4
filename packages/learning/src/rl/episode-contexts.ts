/**
 * @file Many episodes in one context (ReLIC, 2410.02751): episodes of one task follow each other, and a learner sees the earlier ones
 * before the one it plays. Each update plays one more and learns from it alone, with the earlier ones as context (a partial update); the
 * last of a context learns from all of them. A context of hundreds of episodes shows its first few (attention sinks) and the latest. Their
 * order may be shuffled for every episode, so that the learner relies on their content and not on their position.
 */

import {
  type AnyEnvironment,
  type EpisodeEvent,
  type Json,
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
import type { LearnerView, Recipe } from './recipe.ts';
import { type PlayedEpisode, type Players, withSalt } from './rollouts.ts';
import { type EpisodeSample, samplesOf } from './samples.ts';

/** A game of one task that continues over several episodes: the observations of each seat in the episodes that may be shown again. */
type Context = {
  readonly seed: Seed;
  readonly task: Json;
  /** Its number in the pool of tasks, if it has one. */
  readonly number?: number;
  readonly seen: Readonly<Record<Seat, readonly (readonly Seen[])[]>>;
};

type Log = readonly EpisodeEvent[];

export type EpisodesView = Extract<LearnerView, { readonly kind: 'episodes' }>;

export class EpisodeContexts {
  readonly #view: EpisodesView;
  #contexts: readonly Context[] = [];
  #kept: readonly EpisodeSample[] = [];

  constructor(view: EpisodesView) {
    this.#view = view;
  }

  /** Plays the next episode of every context, starting new contexts when the last ones are full. */
  async play({ training }: Recipe, players: Players, update: number): Promise<readonly PlayedEpisode[]> {
    const { environment, learner, seed, seats } = players;
    const at = update % this.#view.count;
    if (at === 0) {
      const drawnTasks = players.tasks.draw(training.batch, update, rng(seed, 'update', update));
      const tasks = training.tasks ?? [training.task ?? {}];
      this.#contexts = drawnTasks.map(({ seed: drawnSeed, task: number, given }, i) => ({
        ...{ seed: drawnSeed, task: given ?? tasks[i % tasks.length], seen: {} },
        ...(number !== undefined && { number }),
      }));
    }
    const others = players.others(update);
    const mine = seats.filter((seat) => !Object.hasOwn(others, seat));
    const policy = withSalt(players.policy ?? learner.policy(), at);
    const ground = { environment, policy, mine, others, seed, turns: training.turns };
    const { logs, contexts } = await nextEpisodes(this.#view, this.#contexts, { ...ground, update });
    this.#contexts = contexts;
    return logs.flatMap((log, i) => {
      const { number } = contexts[i];
      const options = { prompt: i, game: at * logs.length + i, ...(number !== undefined && { task: number }) };
      return samplesOf(log, mine, options).map((sample) => ({ sample, log }));
    });
  }

  /** The number of earlier episodes in the learner's context at an update. */
  earlier(update: number): number {
    return Math.min(update % this.#view.count, mostShown(this.#view));
  }

  /** The episodes that an update learns from: the new ones, or none if updates are not partial; at the end of a context, all of them. */
  lesson(episodes: readonly EpisodeSample[], update: number): readonly EpisodeSample[] {
    const { count, partial = true } = this.#view;
    this.#kept = update % count === 0 ? episodes : [...this.#kept, ...episodes];
    if (update % count === count - 1) return this.#kept;
    return partial ? episodes : [];
  }

  /** Whether an update learns before its context is complete. */
  isPartial(update: number): boolean {
    const { count, partial = true } = this.#view;
    return partial && update % count < count - 1;
  }

  write(): JsonObject {
    return { contexts: this.#contexts, kept: this.#kept };
  }

  read(from: JsonObject): void {
    this.#contexts = from['contexts'] as readonly Context[];
    this.#kept = from['kept'] as readonly EpisodeSample[];
  }
}

interface ContextGround {
  readonly environment: AnyEnvironment;
  readonly policy: Policy;
  /** The policy's seats, and the policies on the other seats. */
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
  readonly turns?: number | undefined;
  readonly seed: Seed;
}

/** The last episode of a context on each of these seeds: the policy's play with the full context. */
export async function lastEpisodes(
  view: EpisodesView,
  { task, ...ground }: ContextGround & { readonly task: Json },
  seeds: readonly Seed[],
): Promise<readonly Log[]> {
  let contexts: readonly Context[] = seeds.map((seed) => ({ seed, task, seen: {} }));
  let last: readonly Log[] = [];
  for (let at = 0; at < view.count; at++) {
    const next = await nextEpisodes(view, contexts, { ...ground, policy: withSalt(ground.policy, at), update: at });
    [last, contexts] = [next.logs, next.contexts];
  }
  return last;
}

/** Plays one more episode of every context, given its seats' observations so far. */
async function nextEpisodes(
  view: EpisodesView,
  contexts: readonly Context[],
  { environment, policy, mine, others, turns, seed, update }: ContextGround & { readonly update: number },
): Promise<{ readonly logs: readonly Log[]; readonly contexts: readonly Context[] }> {
  const logs: Log[] = [];
  const next: Context[] = [];
  for (const [i, context] of contexts.entries()) {
    const order = rng(seed, 'order', update, i);
    const visibleEpisodes = Object.fromEntries(
      Object.entries(context.seen).map(([seat, past]) => [seat, (view.shuffle === true ? order.shuffle(past) : past).flat()]),
    );
    const ownPolicy = after(policy, visibleEpisodes);
    const cast = { ...others, ...Object.fromEntries(mine.map((seat) => [seat, ownPolicy])) };
    const limits = turns === undefined ? {} : { limits: { turns } };
    const [log] = (await rollout(environment, cast, { seeds: [context.seed], task: context.task, ...limits })) as [Log];
    logs.push(log);
    const observations = mine.map((seat) => [seat, retainEpisodes(view, [...(context.seen[seat] ?? []), viewOf(log, seat).seen])] as const);
    next.push({ ...context, seen: Object.fromEntries(observations) });
  }
  return { logs, contexts: next };
}

/** The maximum number of earlier episodes shown. */
function mostShown({ sinks = 0, window = Number.POSITIVE_INFINITY }: EpisodesView): number {
  return sinks + window;
}

/** Selects the first few episodes and the latest. */
function retainEpisodes(view: EpisodesView, past: readonly (readonly Seen[])[]): readonly (readonly Seen[])[] {
  const { sinks = 0, window = 0 } = view;
  return past.length <= mostShown(view) ? past : [...past.slice(0, sinks), ...past.slice(past.length - window)];
}

/** The same policy with earlier episodes in its context. */
function after(policy: Policy, observation: Readonly<Record<Seat, readonly Seen[]>>): Policy {
  const withContext = (turn: Turn): Turn => {
    const { seat } = turn.ask;
    return { ...turn, view: { ...turn.view, seen: [...(observation[seat] ?? []), ...turn.view.seen] } };
  };
  return { name: policy.name, act: (turns) => policy.act(turns.map(withContext)) };
}
