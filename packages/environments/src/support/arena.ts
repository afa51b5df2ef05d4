/**
 * @file Two seats that learn from each other: a patient puts coded symptoms into words, a therapist reads them back and finds a treatment.
 *
 * After MentalArena (Li et al., 2024). Its similarity of mean vectors is high for any text; here it is F1 over the codes.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export const fields = ['emotion', 'thought', 'behaviour'] as const;
export type SymptomField = (typeof fields)[number];

/** Codes of each field, and a word in which each shows. */
export const codes: Readonly<Record<SymptomField, readonly string[]>> = {
  emotion: ['anxious', 'low', 'irritable'],
  thought: ['danger', 'worthless', 'unfair'],
  behaviour: ['avoids', 'withdraws', 'lashes-out'],
};
export const expressions: Readonly<Record<SymptomField, readonly string[]>> = {
  emotion: ['shaking', 'heavy', 'boiling'],
  thought: ['something-will-happen', 'what-for', 'why-me'],
  behaviour: ['staying-in', 'not-answering', 'slamming-doors'],
};

/** One for each code of behavior, and one that fits nothing. */
export const treatments = ['exposure', 'activation', 'pausing', 'waiting'] as const;

/** By field, the number of its code. */
export type SymptomCard = readonly [number, number, number];

export function drawSymptoms(rng: Rng): SymptomCard {
  return [rng.int(3), rng.int(3), rng.int(3)];
}

/** Overlap of what is stated with what is so; with as many of one as of the other it is their F1. */
export function symptomF1(card: SymptomCard, stated: SymptomCard): number {
  return card.filter((code, i) => stated[i] === code).length / card.length;
}

/** How well a treatment does, out of 10: in full for the behavior, in part for the thought behind it. */
export function treatmentScore([, thought, behaviour]: SymptomCard, treatment: number): number {
  return treatment === behaviour ? 10 : treatment === thought ? 6 : 3;
}

/** From this score on a treatment is kept, and from this similarity on no more questions are needed. */
export const goodEnough = { treatment: 9, similarity: 0.9 } as const;
export const mostTreatments = 7;

const each = [0, 1, 2] as const;

/** Every statement as it is written. */
export const statements: ReadonlyMap<string, SymptomCard> = new Map(
  each.flatMap((e) =>
    each.flatMap((t) =>
      each.map((b) => [`[state ${codes.emotion[e]} ${codes.thought[t]} ${codes.behaviour[b]}]`, [e, t, b] as const] as const),
    ),
  ),
);
