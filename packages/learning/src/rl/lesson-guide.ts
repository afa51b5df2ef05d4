/** @file What an update learns from besides its own play: kept episodes, teachers, forks. The interface between the loop and anyone who brings it. */

import type { JsonObject, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { PlayedEpisode } from './rollouts.ts';
import type { EpisodeSample } from './samples.ts';

/** A batch as it was played, before anything is learned from it. */
export interface PlayedBatch {
  readonly update: number;
  /** The share of the run that is done, from 0 to 1. */
  readonly done: number;
  readonly played: readonly PlayedEpisode[];
  /** The same episodes with what judges gave them. */
  readonly episodes: readonly EpisodeSample[];
}

export interface GuidedLessons {
  /** The episodes that are learned from, where some gave way to others. */
  readonly episodes?: readonly EpisodeSample[];
  /** The same as they were played, where some were left out. */
  readonly played?: readonly PlayedEpisode[];
  /** Rows to imitate; `weights` say how much each token counts next to the others. */
  readonly shown?: readonly TokenRow[];
  /** Rows with their own weights, added to the loss as they are. */
  readonly terms?: readonly TokenRow[];
  /** Figures of the update, by name: groups that were helped, tokens that were sampled under guidance. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** Brings lessons to every update, and is part of the checkpoint. */
export interface LessonGuide {
  /** A name of its own among the guides of a run. */
  readonly name: string;
  /** Whether it may bring lessons where several environments are played. */
  readonly anywhere?: boolean;
  lessons(batch: PlayedBatch): Promise<GuidedLessons>;
  write(): JsonObject;
  read(from: JsonObject): void;
}

/** What all guides bring together, each given the episodes that the one before has left. */
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
