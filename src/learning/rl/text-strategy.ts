/** @file How a language model plays a small environment, by the chances of its own tokens. */

import type { Learner, TokenRow, View } from '../../core/index.ts';

/** A learner that reads the text of views and answers in text. */
export interface TextLearner extends Learner {
  promptOf(view: View): readonly number[];
  answerOf(text: string): readonly number[];
}

/** What can be seen when a choice is due, and the choices: for an environment small enough to list them. */
export interface DecisionPoint {
  readonly view: View;
  readonly choices: readonly string[];
}

/** The chance of each choice, among the choices; and what is left over, at most. */
export async function textStrategy(
  learner: TextLearner,
  situations: readonly DecisionPoint[],
): Promise<{ readonly strategy: readonly Float64Array[]; readonly outside: number }> {
  const rows = situations.flatMap(({ view, choices }) => {
    const prompt = learner.promptOf(view);
    return choices.map((choice): TokenRow => {
      const answer = learner.answerOf(choice);
      const along = [...prompt.map(() => 0), ...answer.map(() => 1)];
      return { tokens: [...prompt, ...answer], mask: along, weights: along };
    });
  });
  const logprobs = await learner.logprobs(rows);
  let [next, outside] = [0, 0];
  const strategy = situations.map(({ choices }) => {
    const chances = Float64Array.from(choices, () => {
      const { mask } = rows[next]!;
      const list = logprobs[next++]!;
      let sum = 0;
      for (let i = 0; i < list.length; i++) if (mask[i] !== 0) sum += list[i]!;
      return Math.exp(sum);
    });
    const inside = chances.reduce((sum, one) => sum + one, 0);
    outside = Math.max(outside, 1 - inside);
    return chances.map((one) => one / inside);
  });
  return { strategy, outside };
}
