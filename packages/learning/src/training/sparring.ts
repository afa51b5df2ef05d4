/** @file Sets up a worker to play episodes of a training on another machine: a learner of the same kind, and its opponents. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault, type Learner, type Policy, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '../rl/recipe.ts';
import { learnerFor } from './learners.ts';
import { castBy, seatingOf } from './seating.ts';

/** A learner like the trained one, and its opponents. */
export async function createSparring(
  recipe: Recipe,
  seed: Seed,
  { environment, cwd, trust }: { readonly environment: AnyEnvironment; readonly cwd: string; readonly trust: Trust },
): Promise<{ readonly learner: Learner; readonly others: (update: number) => Readonly<Record<Seat, Policy>> }> {
  refuseElsewhere(recipe);
  const seating = await seatingOf(recipe, environment, cwd, trust);
  const grounds = [{ environment, task: recipe.training.task ?? {}, others: seating.others }];
  const { learner } = await learnerFor(recipe, grounds, { seed, folder: null, cwd, trust, ground: { kind: 'rollout', why: '' } });
  const { others = {}, cast } = await castBy(recipe, { environment, cwd, trust, seating });
  return { learner, others: cast ?? (() => others) };
}

/** Refuses recipes that a worker cannot play, because it only has the current weights. */
export function refuseElsewhere({ name, training, view, roles }: Recipe): void {
  if (training.opponents === 'league')
    throw new Fault('input', `${name} plays against its past versions, which workers do not have. Train it without --workers.`);
  if (
    training.environments !== undefined ||
    training.tasks !== undefined ||
    training.learner === 'tinker' ||
    view !== undefined ||
    roles !== undefined
  )
    throw new Fault('input', `${name} must play in the process that holds its weights. Train it without --workers.`);
}
