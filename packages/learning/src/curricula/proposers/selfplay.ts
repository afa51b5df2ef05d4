/**
 * @file Proposer and solver in turn: tasks are proposed, tried, paid for by how much there is to learn, and learned from.
 *
 * Both are passed in, with their ways of learning; the recipe decides what the two are paid, which tasks count and which the solver learns
 * from.
 */

import {
  type AnyEnvironment,
  type EpisodeEvent,
  Fault,
  type Json,
  type Policy,
  rng,
  type Seed,
} from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { type ArenaParts, createSolverPolicy, type TriedTask } from './arena.ts';
import { createProposerEnvironment } from './proposer-environment.ts';
import type { ProposerRecipe } from './recipes.ts';
import { findCollapse } from './shapes.ts';

/** A policy on the seat `proposer`, and how it takes in what its tasks were paid. */
export interface LearnedProposer {
  readonly policy: Policy;
  learn(episodes: readonly { readonly log: readonly EpisodeEvent[]; readonly reward: number }[]): void | Promise<void>;
}

export interface SelfPlayParts extends Pick<ArenaParts, 'environment' | 'policies' | 'solver' | 'solvable' | 'solved' | 'judge'> {
  readonly recipe: ProposerRecipe;
  readonly proposer: LearnedProposer;
  /** The solver learns from the tasks of a batch that the recipe keeps. */
  readonly learn: (tried: readonly TriedTask[]) => void | Promise<void>;
  readonly seed: Seed;
  readonly batch?: number;
  readonly steps: number;
  readonly menu?: readonly Json[];
  /** Tasks may come again: where there are only so many of them, as on a menu. */
  readonly again?: boolean;
}

export interface SelfPlayReport {
  readonly recipe: string;
  /** For each step: how often tasks were solved, how many of them were valid, and what the proposer was paid. */
  readonly steps: readonly { readonly rate: number; readonly valid: number; readonly reward: number }[];
  /** Why the proposals have stopped teaching, or null. */
  readonly alarm: string | null;
}

/** Lets a proposer and a solver learn in turn, by a recipe. */
export async function selfPlay(parts: SelfPlayParts): Promise<SelfPlayReport> {
  const { recipe, proposer, learn, seed, batch = 16, environment } = parts;
  if (recipe.judged && parts.judge === undefined)
    throw new Fault('input', `The recipe ${recipe.name} needs a judge of tasks; hand one in, or take a recipe without.`);
  if (recipe.solvable && parts.solvable === undefined)
    throw new Fault('input', `The recipe ${recipe.name} needs a proof that tasks can be solved; hand one in, or take a recipe without.`);
  const tried: TriedTask[] = [];
  const arena = createSolverPolicy({ ...arenaFor(parts), hear: (one) => tried.push(one) });
  const workshop: AnyEnvironment = createProposerEnvironment(environment, {
    reward: recipe.reward,
    invalid: recipe.invalid,
    ...(parts.menu === undefined ? {} : { menu: parts.menu }),
  });
  const rates: number[] = [];
  const steps: { rate: number; valid: number; reward: number }[] = [];
  for (let step = 0; step < parts.steps; step++) {
    tried.length = 0;
    const dice = rng(seed, 'self-play', step);
    const seeds = Array.from({ length: batch }, () => dice.int(2 ** 32));
    const logs = await rollout(workshop, { proposer: proposer.policy, arena }, { seeds, width: batch });
    const paid = logs.map((log) => ({ log, reward: rewardOf(log) }));
    await proposer.learn(paid);
    await learn(tried.filter(({ found }) => found.rate >= recipe.keep[0] && found.rate <= recipe.keep[1]));
    for (const { found } of tried) rates.push(found.rate);
    steps.push({
      rate: meanOrZero(tried.map(({ found }) => found.rate)),
      valid: tried.length / batch,
      reward: meanOrZero(paid.map(({ reward }) => reward)),
    });
  }
  return { recipe: recipe.name, steps, alarm: unsound(steps) ?? findCollapse(rates) };
}

/** Why there is nothing to learn from at all, or null. */
function unsound(steps: SelfPlayReport['steps']): string | null {
  const latest = steps.slice(-4);
  if (latest.length < 4 || meanOrZero(latest.map(({ valid }) => valid)) > 0.2) return null;
  return 'Of the latest proposals four in five were not valid: broken, repeated or impossible to solve.';
}

function arenaFor({ environment, policies, solver, solvable, solved, judge, recipe, seed, again = false }: SelfPlayParts): ArenaParts {
  return {
    environment,
    policies,
    solver,
    seed,
    attempts: recipe.attempts,
    majority: recipe.rate === 'majority',
    fresh: !again,
    ...(recipe.solvable ? { solvable } : {}),
    ...(solved === undefined ? {} : { solved }),
    ...(judge === undefined || !recipe.judged ? {} : { judge }),
  };
}

function rewardOf(log: readonly EpisodeEvent[]): number {
  const end = log.at(-1);
  return end?.kind === 'end' ? (end.returns['proposer'] ?? 0) : 0;
}
