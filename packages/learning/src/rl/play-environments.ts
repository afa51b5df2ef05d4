/** @file Plays an update in several environments at once: each has its share of the games, in self-play and sometimes against an anchor. */

import type { AnyEnvironment, EpisodeEvent, Learner, Policy, Rng, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { refuseFailedGames } from './failed-games.ts';
import { environmentKey, type Recipe, type TrainingEnvironment } from './recipe.ts';
import { comparison, dealsOf, type PlayedEpisode } from './rollouts.ts';
import { samplesOf } from './samples.ts';

/** An environment of a recipe with its rules, and the anchor agent that plays one seat in some episodes, if any. */
export interface ReadyEnvironment {
  readonly settings: TrainingEnvironment;
  readonly environment: AnyEnvironment;
  /** The learner's seats, and the policies on the others in every episode. */
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
  readonly anchor: Policy | null;
}

/** The episodes of an update, environment by environment: self-play, and each seat in turn against the anchor. */
export async function playEnvironments(
  recipe: Recipe,
  environments: readonly ReadyEnvironment[],
  {
    learner,
    policy,
    seed,
    update,
  }: { readonly learner: Learner; readonly policy?: Policy | undefined; readonly seed: Seed; readonly update: number },
): Promise<readonly PlayedEpisode[]> {
  const played: PlayedEpisode[] = [];
  const games = Math.ceil(recipe.training.batch / environments.length);
  const play = (readyEnvironment: ReadyEnvironment) =>
    playEpisodes(recipe, readyEnvironment, {
      policy: policy ?? learner.policy(),
      games,
      dice: rng(seed, 'games', readyEnvironment.settings.environment, update),
    });
  // A server has more throughput with concurrent requests.
  const atOnce = recipe.training.learner === 'tinker' ? await Promise.all(environments.map(play)) : null;
  let game = 0;
  for (const [i, readyEnvironment] of environments.entries()) {
    const { settings, environment } = readyEnvironment;
    const options = {
      environment: environmentKey(settings),
      scale: settings.scale,
      ...comparison(recipe, learner, () => dealsOf(environment, settings.task)),
    };
    const episodes = atOnce?.[i] ?? (await play(readyEnvironment));
    refuseFailedGames(episodes.map(({ log }) => log));
    for (const { log, seats } of episodes) {
      for (const sample of samplesOf(log, seats, { ...options, prompt: game, game })) played.push({ sample, log });
      game++;
    }
  }
  return played;
}

interface OwnEpisode {
  readonly log: readonly EpisodeEvent[];
  /** The learner's seats. */
  readonly seats: readonly Seat[];
}

async function playEpisodes(
  recipe: Recipe,
  { settings, environment, mine: seats, others, anchor }: ReadyEnvironment,
  { policy, games, dice }: { readonly policy: Policy; readonly games: number; readonly dice: Rng },
): Promise<readonly OwnEpisode[]> {
  const seeds =
    recipe.rollout.kind === 'even'
      ? dealsOf(environment, settings.task).even(games, dice)
      : Array.from({ length: games }, () => dice.int(2 ** 32));
  const each = anchor === null || seats.length < 2 ? 0 : Math.round(((settings.anchor?.share ?? 0) * games) / seats.length);
  const play = async (mine: readonly Seat[], subset: readonly Seed[]): Promise<readonly OwnEpisode[]> => {
    const cast = { ...others, ...Object.fromEntries(seats.map((seat) => [seat, mine.includes(seat) ? policy : (anchor as Policy)])) };
    return (await rollout(environment, cast, { seeds: subset, task: settings.task, width: games })).map((log) => ({ log, seats: mine }));
  };
  const out = [() => play(seats, seeds.slice(each * seats.length))];
  if (each > 0)
    for (const [i, seat] of seats.entries()) {
      const rest = seats.filter((ownSeat) => ownSeat !== seat);
      out.push(() => play(rest, seeds.slice(i * each, (i + 1) * each)));
    }
  if (recipe.training.learner === 'tinker') return (await Promise.all(out.map((play) => play()))).flat();
  const done: OwnEpisode[] = [];
  for (const collect of out) done.push(...(await collect()));
  return done;
}
