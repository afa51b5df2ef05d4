/** @file Plays an update in several environments at once: each has its share of the games, against itself and now and then an anchor. */

import {
  type AnyEnvironment,
  type EpisodeEvent,
  type Learner,
  type Policy,
  type Rng,
  rng,
  type Seat,
  type Seed,
} from '../../core/index.ts';
import { rollout } from '../../engine/rollout.ts';
import { environmentKey, type Recipe, type TrainingEnvironment } from './recipe.ts';
import { comparison, dealsOf, type PlayedEpisode } from './rollouts.ts';
import { samplesOf } from './samples.ts';

/** An environment of a recipe with its rules, and the agent on one seat of some episodes, where it has one. */
export interface ReadyEnvironment {
  readonly settings: TrainingEnvironment;
  readonly environment: AnyEnvironment;
  readonly anchor: Policy | null;
}

/** The episodes of an update, environment by environment: against itself, and on each seat in turn against the anchor. */
export async function playEnvironments(
  recipe: Recipe,
  environments: readonly ReadyEnvironment[],
  { learner, seed, update }: { readonly learner: Learner; readonly seed: Seed; readonly update: number },
): Promise<readonly PlayedEpisode[]> {
  const played: PlayedEpisode[] = [];
  const games = Math.ceil(recipe.training.batch / environments.length);
  let game = 0;
  for (const one of environments) {
    const { settings, environment } = one;
    const options = {
      environment: environmentKey(settings),
      scale: settings.scale,
      ...comparison(recipe, learner, () => dealsOf(environment, settings.task)),
    };
    const dice = rng(seed, 'games', settings.environment, update);
    for (const { log, seats } of await playEpisodes(recipe, one, { learner, games, dice })) {
      for (const sample of samplesOf(log, seats, { ...options, prompt: game, game })) played.push({ sample, log });
      game++;
    }
  }
  return played;
}

interface OwnEpisode {
  readonly log: readonly EpisodeEvent[];
  /** The learner's. */
  readonly seats: readonly Seat[];
}

async function playEpisodes(
  recipe: Recipe,
  { settings, environment, anchor }: ReadyEnvironment,
  { learner, games, dice }: { readonly learner: Learner; readonly games: number; readonly dice: Rng },
): Promise<readonly OwnEpisode[]> {
  const seats: readonly Seat[] = environment.seats(environment.task(settings.task));
  const seeds =
    recipe.rollout.kind === 'even'
      ? dealsOf(environment, settings.task).even(games, dice)
      : Array.from({ length: games }, () => dice.int(2 ** 32));
  const policy = learner.policy();
  const each = anchor === null ? 0 : Math.round(((settings.anchor?.share ?? 0) * games) / seats.length);
  const play = async (mine: readonly Seat[], some: readonly Seed[]): Promise<readonly OwnEpisode[]> => {
    const cast = Object.fromEntries(seats.map((seat) => [seat, mine.includes(seat) ? policy : (anchor as Policy)]));
    return (await rollout(environment, cast, { seeds: some, task: settings.task, width: games })).map((log) => ({ log, seats: mine }));
  };
  const out = [...(await play(seats, seeds.slice(each * seats.length)))];
  if (each > 0)
    for (const [i, seat] of seats.entries())
      out.push(
        ...(await play(
          seats.filter((own) => own !== seat),
          seeds.slice(i * each, (i + 1) * each),
        )),
      );
  return out;
}
