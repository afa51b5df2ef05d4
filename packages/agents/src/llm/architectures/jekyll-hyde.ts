/**
 * @file Jekyll & Hyde (Kim et al. 2024): one answer in the role and one without it; where they differ, the better one, judged in both
 * orders.
 *
 * A judge's verdict counts only when it is the same with the answers swapped; after `steps` tries without one, the answer in the role is
 * used. The judge reads the situation without the role, so that it prefers neither. The result is in the mind as `ensemble`. Two calls a
 * turn, and two more for each comparison.
 */

import type { ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { actionText, readAnswer } from '../answer.ts';
import { comparisonPrompt } from '../prompt.ts';
import type { Architecture } from './architecture.ts';

export const jekyllHyde: Architecture = {
  async play({ prompt, neutral, model, sampling, form, steps, signal }) {
    const situation = neutral();
    const [role, plain] = await Promise.all([model.complete(prompt, sampling, signal), model.complete(situation, sampling, signal)]);
    const calls: ModelCall[] = [role, plain];
    const jekyll = readAnswer(role.text, form);
    const hyde = readAnswer(plain.text, form);
    const [mine, other] = [actionText(jekyll), actionText(hyde)];
    if (mine === other) return { answer: jekyll, calls, ensemble: { chosen: 'same', comparisons: 0 } };
    const { schema: _, maxTokens: __, ...free } = sampling;
    for (let attempt = 0; attempt < steps; attempt++) {
      const both = await Promise.all([
        model.complete(comparisonPrompt(situation, mine, other), free, signal),
        model.complete(comparisonPrompt(situation, other, mine), free, signal),
      ]);
      calls.push(...both);
      const [first, second] = both.map(({ text }) => letterIn(text));
      const comparisons = attempt + 1;
      if (first === 'A' && second === 'B') return { answer: jekyll, calls, ensemble: { chosen: 'role', comparisons } };
      // The thought is from the role's answer; message and action are from the other.
      if (first === 'B' && second === 'A')
        return { answer: { ...jekyll, speech: hyde.speech, action: hyde.action }, calls, ensemble: { chosen: 'neutral', comparisons } };
    }
    return { answer: jekyll, calls, ensemble: { chosen: 'undecided', comparisons: steps } };
  },
};

function letterIn(text: string): 'A' | 'B' | null {
  const matchingMatch = text.trim().match(linear(/^["'(*\s]*([AB])\b|\b(?:answer|is|choose|prefer)\W+([AB])\b/i));
  const letter = (matchingMatch?.[1] ?? matchingMatch?.[2])?.toUpperCase();
  return letter === 'A' || letter === 'B' ? letter : null;
}
