/**
 * @file Users who are drawn by clickbait and wear out from it: the long-term satisfaction model of RecSim that Sim2Rec trains on.
 *
 * What is read now is paid by choc and kale, times a satisfaction that falls with the clickbait shown before. The sign is that of the
 * released code, not of its comment: clickbait lowers what is to come.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

export type ClickbaitUser = {
  readonly gamma: number;
  readonly sensitivity: number;
  readonly choc: number;
  readonly kale: number;
};

/** The released defaults, under which greed is best: no test of foresight. */
export const defaultUser: ClickbaitUser = { gamma: 0.7, sensitivity: 0.01, choc: 5, kale: 4 };

const gammas = [0.7, 0.8, 0.9] as const;
const sensitivities = [0.4, 0.5, 0.6] as const;
const chocs = [5, 10, 24] as const;

/** The set of simulators: every one of these, a fifth of them held out. */
export const clickbaitUsers: readonly ClickbaitUser[] = gammas.flatMap((gamma) =>
  sensitivities.flatMap((sensitivity) => chocs.map((choc) => ({ gamma, sensitivity, choc, kale: 4 }))),
);
export const isHeldOutUser = (index: number): boolean => index % 5 === 2;

export function drawUser(rng: Rng, split: 'any' | 'train' | 'held-out'): number {
  const fit = clickbaitUsers.map((_, i) => i).filter((i) => split === 'any' || isHeldOutUser(i) === (split === 'held-out'));
  return rng.pick(fit);
}

/** What a user gives now to an item of this much clickbait, and the exposure after it. */
export function expose(
  { gamma, sensitivity, choc, kale }: ClickbaitUser,
  exposure: number,
  c: number,
): { readonly engagement: number; readonly exposure: number } {
  const satisfaction = 1 / (1 + Math.exp(-sensitivity * exposure));
  return { engagement: (c * choc + (1 - c) * kale) * satisfaction, exposure: gamma * exposure - 2 * (c - 0.5) };
}

/** The sum of a plan. */
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

/** The best constant among tenths, for so many steps. */
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

/** The user of the set whose answers to what was shown are nearest to those that came. */
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
