/** @file Search self-play: a question is made for a known answer, and counts only if that answer follows from what its maker had found. */

import { sentenceOf } from '../../../core/index.ts';
import type { ProposerRecipe } from '../recipe.ts';
import { learnable } from '../shapes.ts';

export const ssp: ProposerRecipe = {
  name: 'ssp',
  method: 'SSP',
  source: 'arXiv 2510.18821',
  differs:
    'Paid by 4p(1 − p), which the paper has as an option; a check that breaks refuses the question, where the published code lets it through.',
  reward: learnable,
  invalid: 0,
  rate: 'success',
  attempts: 5,
  keep: [0.01, 0.99],
  judged: false,
  solvable: true,
};

/** A question as its proposer made it. */
export interface Question {
  readonly question: string;
  readonly answer: string;
  readonly searches: readonly string[];
  readonly documents: readonly string[];
}

/** Why a question does not count, or null. `answers` answers from documents alone: the question's own, among some that have nothing to do with it. */
export async function flawOf(
  { question, answer, searches, documents }: Question,
  answers: (question: string, documents: readonly string[]) => Promise<string>,
): Promise<string | null> {
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
  if (plain(question).split(' ').length < 10) return 'The question has fewer than ten words.';
  if (plain(question).includes(plain(answer))) return 'The question contains its answer.';
  if (new Set(searches.map(plain)).size < 2) return 'The question rests on fewer than two different searches.';
  try {
    const found = await answers(question, documents);
    return plain(found) === plain(answer) ? null : 'The answer does not follow from the documents.';
  } catch (thrown) {
    return `Whether the answer follows could not be found out: ${sentenceOf(thrown)}`;
  }
}
