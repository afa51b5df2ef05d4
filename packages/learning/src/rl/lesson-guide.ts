/**
 * @file Training data for an update besides the learner's own play: kept episodes, teachers, forks. The interface between the loop and such
 * sources.
 */

import type { JsonObject, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { PlayedEpisode } from './rollouts.ts';
import type { EpisodeSample } from './samples.ts';

/** A batch after play, before training. */
export interface PlayedBatch {
  readonly update: number;
  /** The completed share of the run, from 0 to 1. */
  readonly done: number;
  readonly played: readonly PlayedEpisode[];
  /** The same episodes with the judges' rewards. */
  readonly episodes: readonly EpisodeSample[];
}

export interface GuidedLessons {
  /** The episodes to train on, if some were replaced. */
  readonly episodes?: readonly EpisodeSample[];
  /** The same as they were played, if some were left out. */
  readonly played?: readonly PlayedEpisode[];
  /** Rows to imitate; `weights` are the relative weights of the tokens. */
  readonly shown?: readonly TokenRow[];
  /** Rows with their own weights, added to the loss unchanged. */
  readonly terms?: readonly TokenRow[];
  /** Figures of the update, by name: groups that were helped, tokens sampled under guidance. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** Provides lessons for every update, and is part of the checkpoint. */
export interface LessonGuide {
  /** A unique name among the guides of a run. */
  readonly name: string;
  /** Whether it supports runs with several environments. */
  readonly anywhere?: boolean;
  lessons(batch: PlayedBatch): Promise<GuidedLessons>;
  write(): JsonObject;
  read(from: JsonObject): void;
}

/** Combines the lessons of all guides; each receives the episodes that the previous one returned. */
export async function guideBatch(guides: readonly LessonGuide[], batch: PlayedBatch): Promise<Required<GuidedLessons>> {
  let { episodes, played } = batch;
  const [tokenRows, terms]: [TokenRow[], TokenRow[]] = [[], []];
  const figures: Record<string, number> = {};
  for (const guide of guides) {
    const brought = await guide.lessons({ ...batch, episodes, played });
    episodes = brought.episodes ?? episodes;
    played = brought.played ?? played;
    tokenRows.push(...(brought.shown ?? []));
    terms.push(...(brought.terms ?? []));
    for (const [name, value] of Object.entries(brought.figures ?? {})) figures[name] = (figures[name] ?? 0) + value;
  }
  return { episodes, played, shown: tokenRows, terms, figures };
}
