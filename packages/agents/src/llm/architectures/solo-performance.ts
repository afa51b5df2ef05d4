/**
 * @file Solo performance prompting (Wang et al. 2024): one model plays a small team in one call: it names the members, drafts, is
 * criticized, and answers.
 *
 * Everything before the line that ends the collaboration is thought. The paper saw a gain only with the strongest models of its time.
 */

import { readAnswer } from '../answer.ts';
import type { Architecture } from './architecture.ts';

const ending = 'Finish collaboration!';

export const soloPerformance: Architecture = {
  manner: [
    'Before you answer, let a small team think aloud. Name two or three participants who know what matters here; one of them is always you.',
    'They give advice, you draft an answer, they criticise it, and you revise it until nobody objects.',
    `Then write the line "${ending}" and after it your answer alone, in the form asked for.`,
  ].join(' '),

  async play({ prompt, model, sampling, form, signal }) {
    // A schema would leave no room for the team's discussion.
    const { schema: _, ...free } = sampling;
    const call = await model.complete(prompt, free, signal);
    const { talk, last } = split(call.text);
    const answer = readAnswer(last, form);
    return { answer: { ...answer, thought: [talk, answer.thought].filter((part) => part !== '').join('\n') }, calls: [call] };
  },
};

/** Splits the team's discussion from the answer after it. A team that never finishes has only talked, unless it still wrote an answer. */
export function split(text: string): { readonly talk: string; readonly last: string } {
  const match = [...text.matchAll(/finish collaboration\s*!?/gi)].at(-1);
  if (match === undefined) return { talk: '', last: text };
  const last = text.slice(match.index + match[0].length).replace(/^[\s*"'.:]*(?:final answer\s*[:：])?\s*/i, '');
  return { talk: text.slice(0, match.index).trim(), last };
}
