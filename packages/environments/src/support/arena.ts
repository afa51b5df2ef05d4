/**
 * @file Two seats that learn from each other: a patient expresses coded symptoms in words, and a therapist decodes them and finds a
 * treatment.
 *
 * After MentalArena (Li et al., 2024). The paper's similarity of mean vectors is high for any text; here it is F1 over the codes.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export const fields = ['emotion', 'thought', 'behaviour'] as const;
export type SymptomField = (typeof fields)[number];

/** Codes of each field, each with a word that expresses it. */
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

/** One treatment for each code of behavior, and one that fits nothing. */
export const treatments = ['exposure', 'activation', 'pausing', 'waiting'] as const;

/** The index of the code for each field. */
export type SymptomCard = readonly [number, number, number];

export function drawSymptoms(rng: Rng): SymptomCard {
  return [rng.int(3), rng.int(3), rng.int(3)];
}

/** Returns the overlap of stated and true codes. Both have the same number of codes, so this is their F1. */
export function symptomF1(card: SymptomCard, stated: SymptomCard): number {
  return card.filter((code, i) => stated[i] === code).length / card.length;
}

/** Returns a treatment's score out of 10: full for the behavior, partial for the thought behind it. */
export function treatmentScore([, thought, behaviour]: SymptomCard, treatment: number): number {
  return treatment === behaviour ? 10 : treatment === thought ? 6 : 3;
}

/** Minimum score to keep a treatment, and similarity from which on no more questions are needed. */
export const goodEnough = { treatment: 9, similarity: 0.9 } as const;
export const mostTreatments = 7;

const each = [0, 1, 2] as const;

/** Every statement by its text. */
export const statements: ReadonlyMap<string, SymptomCard> = new Map(
  each.flatMap((e) =>
    each.flatMap((t) =>
      each.map((b) => [`[state ${codes.emotion[e]} ${codes.thought[t]} ${codes.behaviour[b]}]`, [e, t, b] as const] as const),
    ),
  ),
);
