/** @file A curriculum agent against an executor, without truth: tasks are hard where attempts disagree. */

import type { ProposerRecipe } from '../recipe.ts';
import { agentZero } from '../shapes.ts';

export const agentZeroRecipe: ProposerRecipe = {
  name: 'agent0',
  method: 'Agent0',
  source: 'arXiv 2511.16043',
  differs: 'Calls of tools are counted in the log instead of in the text, and likeness to recent tasks stands for clusters of a batch.',
  reward: agentZero,
  invalid: -1,
  rate: 'majority',
  attempts: 8,
  keep: [0.3, 0.8],
  judged: false,
  solvable: false,
};
