/**
 * @file Revisions (Agent-R, arXiv 2501.11425). The learner's own continuations of a failed episode show its first error: the first turn
 * after which they succeed at most half as often as before it. A continuation from there that succeeds is a way back, so the splice is an
 * episode that the rules allow. Turns up to the error are input and not trained on. Successes are imitated as they are, and so is one from before each error.
 */

import { type EpisodeEvent, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { settingAt } from '../channels.ts';
import { type KeptEpisode, keptRows, returnOf } from '../kept-lessons.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { turnsInLog } from '../log-turns.ts';
import type { PlayedEpisode } from '../rollouts.ts';
import { type ErrorParts, withReflection } from './error-lessons.ts';
import { playGuided } from './guided-play.ts';

interface Revised {
  /** The good episode from before the error, if one was found, and the spliced one, if a continuation recovered. */
  readonly lessons: readonly KeptEpisode[];
  /** The number of turns that the learner played to find the error. */
  readonly tried: number;
}

export class RevisionGuide implements LessonGuide {
  readonly name = 'revisions';
  readonly #parts: ErrorParts;

  constructor(parts: ErrorParts) {
    this.#parts = parts;
  }

  async lessons({ update, done, played }: PlayedBatch): Promise<GuidedLessons> {
    const { guidance, seed, learner } = this.#parts;
    const [share, dice] = [settingAt(guidance.share, done), rng(seed, 'revisions', update)];
    const lessons: KeptEpisode[] = [];
    let [errors, revised, guided] = [0, 0, 0];
    for (const episode of played) {
      const { log, sample } = episode;
      if (this.#succeeds({ log, seat: sample.seat })) lessons.push({ log, seat: sample.seat });
      else if (dice.next() < share) {
        const { lessons: added, tried } = await this.#revise(episode, dice);
        const mean = sample.turns.reduce((sum, { written }) => sum + written.length, 0) / Math.max(1, sample.turns.length);
        guided += Math.round(tried * mean);
        errors += Math.min(1, added.length);
        revised += Math.max(0, added.length - 1);
        lessons.push(...added);
      }
    }
    return { shown: keptRows(learner, lessons).rows, figures: { errors, revised, guided } };
  }

  /** Lessons are created from every batch, so the checkpoint has no state. */
  write(): JsonObject {
    return {};
  }

  read(): void {}

  #succeeds(episode: KeptEpisode): boolean {
    return returnOf(episode) > (this.#parts.guidance.success ?? 0);
  }

  async #revise({ log, sample: { seat } }: PlayedEpisode, dice: Rng): Promise<Revised> {
    const { guidance, learner } = this.#parts;
    const turns = turnsInLog(log, [seat]);
    let tried = 0;
    let before: readonly (readonly EpisodeEvent[])[] = [];
    for (const [i, { at }] of turns.entries()) {
      const heeding = { advice: () => null, heed: 0, seat, at };
      const continuations = await Promise.all(
        Array.from({ length: guidance.tries ?? 1 }, () => playGuided(this.#parts, log, { ...heeding, salt: dice.int(2 ** 32) })),
      );
      tried += continuations.reduce((sum, each) => sum + turnsInLog(each, [seat]).length - i, 0);
      const successes = continuations.filter((each) => this.#succeeds({ log: each, seat }));
      if (i > 0 && before.length > 0 && successes.length <= before.length / 2) {
        const good = { log: before[0], seat };
        const [wrong, way] = [turns[i - 1], successes[0]];
        if (guidance.reflect === false || way === undefined) return { lessons: [good], tried };
        const masked = new Set(turns.slice(0, i).map(({ number }) => number));
        return { lessons: [good, { log: learner.rowFor === undefined ? way : withReflection(way, wrong, at), seat, masked }], tried };
      }
      before = successes;
    }
    return { lessons: [], tried };
  }
}
