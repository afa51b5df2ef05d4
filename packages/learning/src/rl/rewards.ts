/** @file Reward assignment: turns the rewards or judgments of an episode into one reward for each turn of a seat. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** Assigns the whole return to every turn: outcome broadcast (GRPO, Flow-GRPO, SPIRAL). */
export function outcome(rewards: readonly number[]): readonly number[] {
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  return rewards.map(() => sum);
}

/** The sum of future rewards from each turn on (MARSHAL: sum first, then normalize). */
export function returnToGo(rewards: readonly number[], discount = 1): readonly number[] {
  const out = [...rewards];
  for (let turn = out.length - 2; turn >= 0; turn--) out[turn] = out[turn] + discount * out[turn + 1];
  return out;
}

/**
 * Turn rewards by the increase in the probability of the right answer (IGPO, 2510.14967): `beliefs` has one entry before the first turn and
 * one after each turn except the last, which receives the outcome.
 */
export function informationGain(beliefs: readonly number[], payment: number): readonly number[] {
  const gains = beliefs.slice(1).map((belief, turn) => belief - beliefs[turn]);
  return [...gains, payment];
}

/** The share of the others that each one beats, ties counting half (SPO, 2401.04056). `beats(i, j)` is 1, ½ or 0. */
export function winRate(count: number, beats: (value: number, other: number) => number): readonly number[] {
  return Array.from({ length: count }, (_, value) => {
    let wins = 0;
    for (let other = 0; other < count; other++) if (other !== value) wins += beats(value, other);
    return wins / (count - 1);
  });
}

/** The share of the other returns that each one beats; a single return gets ½. */
export function winRates(returns: readonly number[]): readonly number[] {
  if (returns.length < 2) return returns.map(() => 0.5);
  return winRate(returns.length, (value, other) => (Math.sign(returns[value] - returns[other]) + 1) / 2);
}

/** Human gain (RLHG): a person's result with help minus the same person's result alone. Only positive gains count. */
export function humanGain(helped: readonly number[], alone: readonly number[]): readonly number[] {
  if (alone.length === 0) throw new Fault('input', 'Human gain needs at least one episode played without help to compare with.');
  const usual = alone.reduce((sum, value) => sum + value, 0) / alone.length;
  return helped.map((value) => Math.max(0, value - usual));
}
