/** @file Computes how a language model plays a small environment, from its token probabilities. */

import type { Learner, TokenRow, View } from '@ludus-agents/kernel/internal/core/index';
import type { TextTable } from './mirror-lessons.ts';

/** A learner that reads the text of views and answers in text. */
export interface TextLearner extends Learner {
  promptOf(view: View): readonly number[];
  answerOf(text: string): readonly number[];
}

/** The view and the choices at a decision, for an environment small enough to list them. */
export interface DecisionPoint {
  readonly view: View;
  readonly choices: readonly string[];
}

/** The probability of each choice, renormalized over the choices; and the total probability of all choices, decision by decision. */
export async function textStrategy(
  learner: TextLearner,
  situations: readonly DecisionPoint[],
): Promise<{ readonly strategy: readonly Float64Array[]; readonly legal: readonly number[] }> {
  return readTable(learner, situations, rowsOf(learner, situations));
}

/** The same model with its rows prepared once, for many reads and for training. */
export function textTable(learner: TextLearner, situations: readonly DecisionPoint[]): TextTable {
  const rows = rowsOf(learner, situations);
  const offsets: number[] = [];
  let next = 0;
  for (const { choices } of situations) {
    offsets.push(next);
    next += choices.length;
  }
  return {
    read: () => readTable(learner, situations, rows),
    row(set, choice, weight) {
      const { tokens, mask } = rows[offsets[set] + choice];
      return { tokens, mask: Array.from(mask, (bit) => bit * weight) };
    },
  };
}

function rowsOf(learner: TextLearner, situations: readonly DecisionPoint[]): readonly TokenRow[] {
  return situations.flatMap(({ view, choices }) => {
    const prompt = learner.promptOf(view);
    return choices.map((choice): TokenRow => {
      const answer = learner.answerOf(choice);
      const along = [...prompt.map(() => 0), ...answer.map(() => 1)];
      return { tokens: [...prompt, ...answer], mask: along, weights: along };
    });
  });
}

async function readTable(
  learner: TextLearner,
  situations: readonly DecisionPoint[],
  rows: readonly TokenRow[],
): Promise<{ readonly strategy: readonly Float64Array[]; readonly legal: readonly number[] }> {
  const logprobs = await learner.logprobs(rows);
  let next = 0;
  const legal: number[] = [];
  const strategy = situations.map(({ choices }) => {
    const chances = Float64Array.from(choices, () => {
      const { mask } = rows[next];
      const list = logprobs[next++];
      let sum = 0;
      for (let i = 0; i < list.length; i++) if (mask[i] !== 0) sum += list[i];
      return Math.exp(sum);
    });
    const inside = chances.reduce((sum, value) => sum + value, 0);
    legal.push(Math.min(1, inside));
    // If all choices underflow to 0, they are treated as equally likely.
    return chances.map((chance) => (inside === 0 ? 1 / chances.length : chance / inside));
  });
  return { strategy, legal };
}
