/** @file Scores that come again and again, made once: most findings of a rule have nothing in them but a few numbers. */

import { freeze, type Score, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Finding } from './scorer.ts';

/** Findings of a rule that are remembered. Where more come, they seldom come twice. */
const most = 1000;

/** The scores of one rule. They are frozen, because all episodes that have the same share them. */
export class SharedScores {
  readonly #bySeat = new Map<Seat, Map<string, Score>>();

  /** The score of a finding; `make` must depend on nothing but the finding and the seat where it quotes nothing. */
  get(finding: Finding, seat: Seat, make: () => Score): Score {
    const text = textOf(finding);
    if (text === null) return make();
    let scores = this.#bySeat.get(seat);
    if (scores === undefined) {
      if (this.#bySeat.size >= most) return make();
      scores = new Map();
      this.#bySeat.set(seat, scores);
    }
    const knownScore = scores.get(text);
    if (knownScore !== undefined) return knownScore;
    const score = make();
    if (scores.size >= most) return score;
    // The rule may reuse its object, so a copy is frozen.
    const shared = freeze({ ...score, evidence: [], ...(score.parts === undefined ? {} : { parts: { ...score.parts } }) });
    scores.set(text, shared);
    return shared;
  }
}

/** Everything that a finding says, in its order; null where it quotes something, or holds what this does not know. */
function textOf(finding: Finding): string | null {
  let text = '';
  for (const field in finding) {
    const value: unknown = finding[field as keyof Finding];
    if (field === 'evidence') {
      if ((value as Finding['evidence'])?.length !== 0) return null;
    } else if (field === 'parts') {
      // Also where there are none of them.
      text += 'parts\n';
      for (const part in value as Finding['parts']) {
        const amount: unknown = (value as Record<string, unknown>)[part];
        if (!isAmount(amount) || part.includes('\n')) return null;
        text += `/${part}=${amount}\n`;
      }
    } else if (isAmount(value) || (typeof value === 'string' && !value.includes('\n'))) text += `${field}:${value}\n`;
    else return null;
  }
  return text;
}

/** A number that its text tells, or null: zero has two signs, and both are written as 0. */
function isAmount(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && !Object.is(value, -0));
}
