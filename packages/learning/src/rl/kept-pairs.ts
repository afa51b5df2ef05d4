/** @file Stored episodes as games to compare: those of one task and seed are a group, and the better ones are preferred (DPO, KTO, SPPO). */

import { hash, type JsonObject, type Learner, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { type KeptEpisode, keptRows, returnOf } from './kept-lessons.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from './lesson-guide.ts';
import type { Recipe } from './recipe.ts';
import type { EpisodeSample } from './samples.ts';

/** Whether a recipe compares episodes; stored ones are then compared, not imitated. */
export function comparesKept({ loss }: Pick<Recipe, 'loss'>): boolean {
  return loss.kind === 'preference' || loss.kind === 'desirability';
}

/** The default number of groups of one update. */
const usualGroups = 64;

interface PairParts {
  readonly learner: Learner;
  readonly episodes: readonly KeptEpisode[];
  readonly seed: Seed;
  /** The number of groups of one update. */
  readonly groups?: number | undefined;
  /** Whether every episode is judged good or bad by itself, without another episode of the same task. */
  readonly alone?: boolean;
}

/** Compares stored episodes instead of played games. */
export class KeptPairs implements LessonGuide {
  readonly name = 'pairs';
  readonly anywhere = true;
  /** Groups whose episodes have different returns. */
  readonly groups: readonly (readonly KeptEpisode[])[];
  readonly #parts: PairParts;

  constructor(parts: PairParts) {
    this.#parts = parts;
    this.groups = comparableGroups(parts.episodes, parts.alone);
  }

  lessons({ update }: PlayedBatch): Promise<GuidedLessons> {
    const { learner, seed, groups = usualGroups } = this.#parts;
    const dice = rng(seed, 'pairs', update);
    const lessonGroups =
      this.#parts.alone === true ? this.groups.map((group) => sample(group, groups, dice)) : sample(this.groups, groups, dice);
    return Promise.resolve({
      episodes: lessonGroups.flatMap((group, prompt) => group.map((episode) => sampleOf(learner, episode, prompt))),
      figures: { compared: lessonGroups.length },
    });
  }

  write(): JsonObject {
    return {};
  }

  read(): void {}
}

function sample<T>(items: readonly T[], count: number, dice: Rng): readonly T[] {
  return items.length <= count ? items : dice.shuffle(items).slice(0, count);
}

/** Groups episodes by task, seed and seat, or all together if each is judged `alone`; drops groups of equal returns. */
export function comparableGroups(episodes: readonly KeptEpisode[], alone = false): readonly (readonly KeptEpisode[])[] {
  const groups = Map.groupBy(episodes, ({ log, seat }) => {
    if (alone) return '';
    const [start] = log;
    return start?.kind === 'start' ? hash([start.environment, start.task, start.seed, seat]) : seat;
  });
  return [...groups.values()].filter((group) => new Set(group.map(returnOf)).size > 1);
}

/** A stored episode as if the learner had played it: tokenized by the learner, with the stored return. */
function sampleOf(learner: Learner, episode: KeptEpisode, prompt: number): EpisodeSample {
  const [start] = episode.log;
  const { rows } = keptRows(learner, [episode]);
  const returned = returnOf(episode);
  return {
    environment: start?.kind === 'start' ? start.environment : '',
    ...{ seat: episode.seat, prompt, game: prompt, returned, invalid: 0, truncated: false },
    turns: rows.map(({ tokens, mask }, i) => {
      const first = Array.from(mask).indexOf(1);
      const written = Array.from(tokens).slice(first);
      return {
        read: Array.from(tokens).slice(0, first),
        written,
        logprobs: written.map(() => 0),
        ...{ reward: i === rows.length - 1 ? returned : 0, penalty: 0, at: i },
      };
    }),
  };
}
