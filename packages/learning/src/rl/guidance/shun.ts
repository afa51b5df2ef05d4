/**
 * @file Unlearning wrong steps (SEAgent, arXiv 2508.04700): a judge classifies each of the learner's steps, and wrong ones are made less
 * likely than under the reference, by −log σ(−(log π − log π_ref)) for each token; right ones are left to the recipe's loss.
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { settingAt } from '../channels.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { turnsInLog } from '../log-turns.ts';
import { toDemonstrationRow } from '../warm-up.ts';
import type { ErrorParts } from './error-lessons.ts';
import { isRight } from './verdict.ts';

export class ShunGuide implements LessonGuide {
  readonly name = 'shun';
  readonly #parts: ErrorParts;

  constructor(parts: ErrorParts) {
    this.#parts = parts;
  }

  async lessons({ done, played }: PlayedBatch): Promise<GuidedLessons> {
    const { learner, policy, teachers, environment, guidance } = this.#parts;
    const weight = settingAt(guidance.share, done);
    const turns = played.flatMap(({ log, sample }) => turnsInLog(log, [sample.seat]));
    const judged =
      weight === 0 ? [] : await Promise.all(turns.map((turn) => isRight({ environment, writer: teachers[0] ?? policy }, turn)));
    const wrong = turns.filter(
      ({ turn, action }, i) => judged[i] === false && (learner.rowFor !== undefined || (turn.ask.choices ?? []).includes(action.text)),
    );
    const figures = { judged: judged.length, wrong: wrong.length };
    if (wrong.length === 0) return { figures };
    const rows = wrong.map(({ turn, action }) => toDemonstrationRow(learner, turn, action.text));
    const [now, reference] = [await learner.logprobs(rows), await learner.logprobs(rows, 'reference')];
    const tokens = rows.reduce((sum, { mask }) => sum + Array.from(mask).reduce((subtotal, bit) => subtotal + bit, 0), 0);
    const terms = rows.map((row, i) => ({
      ...row,
      weights: Array.from(row.mask, (bit, at) => (bit === 0 ? 0 : (-weight * shunSlope(now[i][at] - reference[i][at])) / tokens)),
    }));
    return { terms, figures };
  }

  /** Verdicts are requested for every batch, so the checkpoint has no state. */
  write(): JsonObject {
    return {};
  }

  read(): void {}
}

/** −log σ(−Δ), the softplus of the log-ratio: the loss of a wrong token. */
export function shunLoss(ratio: number): number {
  return Math.log1p(Math.exp(ratio));
}

/** Its slope, σ(Δ). */
function shunSlope(ratio: number): number {
  return 1 / (1 + Math.exp(-ratio));
}
