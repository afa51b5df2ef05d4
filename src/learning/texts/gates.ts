/**
 * @file How good a gate is, by simulation: how often it lets edits through that harm, do nothing, take a shortcut or help.
 *
 * Tasks have a chance of success each, drawn from Beta(2, 2); both sides play every task as often, with dice of their own. A shortcut raises
 * one task in six by much and lowers the rest.
 */

import { type Rng, rng, type Seed } from '../../core/index.ts';
import { type GateRule, judge } from './gate.ts';

export const editKinds = ['harm', 'null', 'shortcut', 'help'] as const;
export type EditKind = (typeof editKinds)[number];

export interface GateTrial {
  readonly tasks: number;
  readonly repeats: number;
  readonly rule: GateRule;
  readonly edit: EditKind;
}

/** The share of edits of a kind that a gate accepts. */
export function acceptance(trial: GateTrial, draws: number, seed: Seed): number {
  let accepted = 0;
  const dice = rng(seed, 'gate', trial.tasks, trial.repeats, trial.edit);
  for (let i = 0; i < draws; i++) if (accepts(trial, dice)) accepted++;
  return accepted / draws;
}

function accepts({ tasks, repeats, rule, edit }: GateTrial, dice: Rng): boolean {
  const pairs = Array.from({ length: tasks }, (_, task) => {
    const before = beta22(dice);
    const after = Math.min(1, Math.max(0, before + effect(edit, dice)));
    return { task, before: share(before, repeats, dice), after: share(after, repeats, dice) };
  });
  return judge(pairs, rule).accept;
}

function effect(edit: EditKind, dice: Rng): number {
  if (edit === 'shortcut') return dice.int(6) === 0 ? 0.6 : -0.08;
  return edit === 'harm' ? -0.1 : edit === 'help' ? 0.1 : 0;
}

/** The middle of three uniform draws is Beta(2, 2). */
function beta22(dice: Rng): number {
  const [a, b, c] = [dice.next(), dice.next(), dice.next()];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function share(chance: number, repeats: number, dice: Rng): number {
  let successes = 0;
  for (let i = 0; i < repeats; i++) if (dice.next() < chance) successes++;
  return successes / repeats;
}

/** The share of edits that a strict comparison on a few examples accepts, parent at one half and child that much better. */
export function minibatchAcceptance(examples: number, gain: number, { ties = false, draws = 20_000, seed = 1 } = {}): number {
  const dice = rng(seed, 'minibatch', examples, gain);
  let accepted = 0;
  for (let i = 0; i < draws; i++) {
    const difference = share(0.5 + gain, examples, dice) - share(0.5, examples, dice);
    if (difference > 0 || (ties && difference === 0)) accepted++;
  }
  return accepted / draws;
}

/** How far the best of equal candidates stands above what they are worth, where they were chosen and on as many fresh tasks. */
export function inflation(
  candidates: number,
  tasks: number,
  { draws = 4000, seed = 1 } = {},
): { readonly select: number; readonly fresh: number } {
  const dice = rng(seed, 'inflation', candidates, tasks);
  let [select, fresh] = [0, 0];
  for (let i = 0; i < draws; i++) {
    let most = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < candidates; k++) most = Math.max(most, share(0.5, tasks, dice));
    select += most - 0.5;
    fresh += share(0.5, tasks, dice) - 0.5;
  }
  return { select: select / draws, fresh: fresh / draws };
}
