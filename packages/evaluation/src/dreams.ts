/** @file Dreams from stored episodes: some are kept out, the rest are its steps, and its error is measured on those that were kept out. */

import { type DreamDocument, questionOf, stepIn } from '@ludus-agents/environments/internal/dream/dream';
import { measureError, type Predict, type StepError } from '@ludus-agents/environments/internal/dream/error';
import { type DreamEpisode, type DreamStep, indexSteps, stepsOf } from '@ludus-agents/environments/internal/dream/steps';
import { type EpisodeEvent, Fault, type Model, type Rng, rng, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { summaryOf } from './scoring/statistics/summary.ts';

export interface DreamOptions {
  readonly of: string;
  readonly seat: Seat;
  /** The share of episodes that is kept out to measure the error by. */
  readonly hold: number;
  /** A model that plays the world; real steps without it. */
  readonly model?: Model;
  /** Steps that are compared at most. */
  readonly most?: number;
  readonly signal?: AbortSignal;
}

/** Fewer episodes than this leave nothing to keep out. */
const fewest = 5;

export async function makeDream(logs: readonly (readonly EpisodeEvent[])[], options: DreamOptions): Promise<DreamDocument> {
  const { of, seat, hold, model, most, signal = new AbortController().signal } = options;
  const all = logs.flatMap((log) => stepsOf(log, seat) ?? []);
  if (all.length < fewest)
    throw new Fault(
      'input',
      `Learning an environment needs at least ${fewest} finished episodes of ${of} in which ${seat} acts, but there are ${all.length}. Play some with "ludus run".`,
    );
  const shuffled = rng(0, 'dream').shuffle(all);
  const dreamEpisodes = shuffled.slice(0, Math.max(1, Math.floor(hold * all.length)));
  const newDreamEpisodes = shuffled.slice(dreamEpisodes.length);
  const steps = newDreamEpisodes.flatMap((episode) => episode.steps);
  const index = indexSteps(steps);
  const fromSteps: Predict = async ({ at, move }, dice: Rng) => index.outcome(at, move, dice);
  const fromModel: Predict = async ({ at, move, choices }) => {
    const question = questionOf({ at, move }, index);
    const call = await (model as Model).complete({ messages: [{ role: 'user', content: question }] }, {}, signal);
    return stepIn(call.text, { at, choices, move });
  };
  const isSeen = ({ at, move }: DreamStep) => index.has(at, move);
  const error = await measureError(dreamEpisodes, model === undefined ? fromSteps : fromModel, {
    ...{ isSeen, interval: intervalOver },
    ...(most === undefined ? {} : { most }),
  });
  return {
    kind: 'dream',
    of,
    seat,
    openings: distinct(newDreamEpisodes.map(({ opening }) => opening)),
    steps,
    error,
    longest: Math.max(...newDreamEpisodes.map((episode) => episode.steps.length)),
  };
}

/** Steps of one episode are not independent. */
function intervalOver(errors: readonly StepError[]) {
  return (
    summaryOf(errors.map(({ episode, value }) => ({ scene: '', task: '', seed: episode, episode: String(episode), value })))?.interval ??
    null
  );
}

function distinct(openings: readonly DreamEpisode['opening'][]): readonly DreamEpisode['opening'][] {
  return [...new Map(openings.map((opening) => [JSON.stringify(opening), opening])).values()];
}
