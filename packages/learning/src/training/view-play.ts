/**
 * @file Selects how a learner plays and sees demonstrations under the view of its recipe: by its own policy, or through the prompts of
 * language agents.
 */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault, type Learner, type Policy } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '../rl/recipe.ts';
import type { Overlap } from '../rl/rollouts.ts';
import type { ShowRows } from '../rl/warm-up.ts';
import { isPromptView, viewPolicy } from './learner-view.ts';
import { demonstrationsOf } from './view-demonstrations.ts';

/** The learner's policy, by the recipe's view, and how to show it answers. */
export function policyThroughView(
  { view, name, training }: Recipe,
  learner: Learner,
  {
    environment,
    cwd,
    trust,
    overlap,
  }: { readonly environment: AnyEnvironment; readonly cwd: string; readonly trust: Trust; readonly overlap?: Overlap | undefined },
): { readonly policy: Policy; readonly show: { readonly show?: ShowRows } } {
  if (!isPromptView(view)) return { policy: learner.policy(), show: {} };
  if (training.environments !== undefined)
    throw new Fault('input', `${name} has a view and several environments, but only one of the two is supported.`);
  if (training.warmUp?.errs !== undefined)
    throw new Fault(
      'input',
      `${name} has a view and imitation with errors, but only one of the two is supported. Remove "training.warmUp.errs", or the view.`,
    );
  if ((training.warmUp?.steps ?? 0) > 0 && learner.rowFor === undefined)
    throw new Fault(
      'input',
      `${learner.id} chooses among listed answers, so it cannot imitate anybody through a view. Set training.warmUp.steps=0, or train a language model.`,
    );
  const policy = viewPolicy(learner, view, { environment, cwd, trust }, overlap?.gate);
  const show: ShowRows = async (ground, how) => {
    const shownAnswers = await demonstrationsOf(view, ground, { ...how, cwd, trust });
    return shownAnswers.map(({ prompt, text }) => learner.rowFor!(prompt, text));
  };
  return { policy, show: { show } };
}
