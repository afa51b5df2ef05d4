/** @file What a worker needs to play episodes of a training elsewhere: a learner of the same kind, and its opponents. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault, type Learner, type Policy, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '../rl/recipe.ts';
import { learnerFor } from './learners.ts';
import { castBy, seatingOf } from './seating.ts';

/** A learner like the one that is trained, and its opponents: what a worker needs to play its episodes. */
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

/** Refuses what a worker cannot play, since it has only the current weights. */
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
