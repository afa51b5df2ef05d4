/**
 * @file Users who are drawn by clickbait and lose satisfaction from it: the long-term satisfaction model of RecSim that Sim2Rec trains on.
 *
 * The immediate reward comes from choc and kale, multiplied by a satisfaction that falls with earlier clickbait. The sign follows the
 * released code, not its comment: clickbait lowers later rewards.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export type ClickbaitUser = {
  readonly gamma: number;
  readonly sensitivity: number;
  readonly choc: number;
  readonly kale: number;
};

/** The released defaults. The greedy policy is optimal under them, so they don't test foresight. */
export const defaultUser: ClickbaitUser = { gamma: 0.7, sensitivity: 0.01, choc: 5, kale: 4 };

const gammas = [0.7, 0.8, 0.9] as const;
const sensitivities = [0.4, 0.5, 0.6] as const;
const chocs = [5, 10, 24] as const;

/** The set of all simulators. A fifth of them are held out. */
export const clickbaitUsers: readonly ClickbaitUser[] = gammas.flatMap((gamma) =>
  sensitivities.flatMap((sensitivity) => chocs.map((choc) => ({ gamma, sensitivity, choc, kale: 4 }))),
);
export const isHeldOutUser = (index: number): boolean => index % 5 === 2;

export function drawUser(rng: Rng, split: 'any' | 'train' | 'held-out'): number {
  const fit = clickbaitUsers.map((_, i) => i).filter((i) => split === 'any' || isHeldOutUser(i) === (split === 'held-out'));
  return rng.pick(fit);
}

/** Returns a user's immediate reward for an item with this much clickbait, and the exposure after it. */
export function expose(
  { gamma, sensitivity, choc, kale }: ClickbaitUser,
  exposure: number,
  c: number,
): { readonly engagement: number; readonly exposure: number } {
  const satisfaction = 1 / (1 + Math.exp(-sensitivity * exposure));
  return { engagement: (c * choc + (1 - c) * kale) * satisfaction, exposure: gamma * exposure - 2 * (c - 0.5) };
}

/** Returns the total reward of a plan. */
export function planValue(user: ClickbaitUser, plan: readonly number[]): number {
  let [exposure, total] = [0, 0];
  for (const c of plan) {
    const step = expose(user, exposure, c);
    total += step.engagement;
    exposure = step.exposure;
  }
  return total;
}

const best = new Map<string, number>();

/** Returns the best constant plan for the given number of steps, among multiples of a tenth. */
export function bestConstant(user: ClickbaitUser, steps: number): number {
  const key = `${JSON.stringify(user)} ${steps}`;
  let bestAction = best.get(key);
  if (bestAction === undefined) {
    const tenths = Array.from({ length: 11 }, (_, i) => i / 10);
    const value = (c: number) =>
      planValue(
        user,
        Array.from({ length: steps }, () => c),
      );
    bestAction = tenths.reduce((a, b) => (value(b) > value(a) ? b : a));
    if (best.size > 2000) best.clear();
    best.set(key, bestAction);
  }
  return bestAction;
}

/** Returns the user of the set whose predicted answers are nearest to the observed ones. */
export function inferUser(visible: readonly number[], answers: readonly number[]): ClickbaitUser {
  let [nearest, least] = [clickbaitUsers[0], Number.POSITIVE_INFINITY];
  for (const user of clickbaitUsers) {
    let [exposure, error] = [0, 0];
    for (const [i, c] of visible.entries()) {
      const step = expose(user, exposure, c);
      error += (step.engagement - answers[i]) ** 2;
      exposure = step.exposure;
    }
    if (error < least - 1e-12) [nearest, least] = [user, error];
  }
  return nearest;
}
