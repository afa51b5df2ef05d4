/** @file Measures a set of policies on held-out tasks: finds the best latent for each, on one seat among others that play any of them. */

import type { AnyEnvironment, Json, Learner, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { Recipe } from '../rl/recipe.ts';
import { keepingTo } from '../rl/roles/policy-set.ts';

/** The mean return of each latent on a task, over fresh episodes. */
export type HeldTask = {
  readonly task: Json;
  readonly paid: readonly number[];
};

const episodes = 64;

/** Every held-out task of a recipe with a set of policies; empty if it has none. */
export async function heldTasks(
  { roles }: Pick<Recipe, 'roles'>,
  learner: Learner,
  { environment, seed }: { readonly environment: AnyEnvironment; readonly seed: Seed },
): Promise<readonly HeldTask[]> {
  if (roles?.kind !== 'set') return [];
  const policy = learner.policy();
  const out: HeldTask[] = [];
  for (const task of roles.held ?? []) {
    const seats: readonly Seat[] = environment.seats(environment.task(task));
    const [ownText] = seats as readonly [Seat];
    const dice = rng(seed, 'held');
    const seeds = Array.from({ length: episodes }, () => dice.int(2 ** 32));
    const rewards: number[] = [];
    for (let latent = 0; latent < roles.size; latent++) {
      const mine: Policy = keepingTo(policy, latent);
      const logs = await rollout(environment, Object.fromEntries(seats.map((seat) => [seat, seat === ownText ? mine : policy])), {
        seeds,
        task,
      });
      rewards.push(
        meanOrZero(
          logs.map((log) => {
            const end = log.at(-1);
            return end?.kind === 'end' ? (end.returns[ownText] ?? 0) - (end.penalties[ownText] ?? 0) : 0;
          }),
        ),
      );
    }
    out.push({ task, paid: rewards });
  }
  return out;
}

export function heldWords({ task, paid }: HeldTask): string {
  const best = paid.indexOf(Math.max(...paid));
  return `On ${JSON.stringify(task)}, which was not trained on, strategy ${best} of ${paid.length} is the best for a seat: ${paid.map((value, i) => `${i} is paid ${value.toFixed(2)}`).join(', ')}.`;
}
