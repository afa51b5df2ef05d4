/** @file Extracts the data of a task writer's loop from logs, and derives the recipe of a side that plays elsewhere. */

import { type EpisodeEvent, Fault, type Json, type JsonObject, type Policy, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '../rl/recipe.ts';
import type { TriedTask } from './proposers/arena.ts';
import type { PastTask } from './proposers/writers.ts';

/** The recipe of a side that plays elsewhere: its episodes are compared with each other, without guidance. */
export function plainRecipe(recipe: Recipe, environment: string): Recipe {
  const { variety = 0.1, rate } = recipe.coevolution ?? {};
  const { guidance: _, rewardModel: __, rewards: ___, view: ____, rounds: _____, kept: ______, ...rest } = recipe;
  return {
    ...rest,
    // A judge of the solver's turns does not apply to the writer's.
    ...(['checklist', 'human-gain'].includes(recipe.assignment.kind) && { assignment: { kind: 'outcome' } as const }),
    baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' },
    // A rewarded task loses its value once it is learned: without an entropy bonus a writer would keep repeating it.
    loss: { kind: 'policy-gradient', aggregation: 'token-mean', entropy: { from: variety, to: variety } },
    replay: { kind: 'none' },
    curriculum: { kind: 'uniform' },
    training: { ...recipe.training, environment, task: {}, ...(rate !== undefined && { rate: { from: rate, to: rate } }) },
  };
}

export function askArena(arena: Policy, tasks: readonly Json[]): Promise<unknown> | unknown {
  return arena.act(tasks.map((task) => ({ ask: { seat: 'arena', data: { task } } })) as unknown as Parameters<Policy['act']>[0]);
}

/** Ends the training if a writer fails in every episode of an update, such as a model that cannot be reached. */
export function refuseFailures(logs: readonly (readonly EpisodeEvent[])[]): void {
  const ends = logs.map((log) => log.at(-1));
  const [first] = ends;
  if (first?.kind === 'end' && ends.every((end) => end?.kind === 'end' && end.reason === 'error'))
    throw new Fault('agent', `The task proposer failed: ${first.fault?.message ?? 'it returned no answer'}`);
}

const longestFailure = 160;

/** A writer's information about a tried task: how often it was solved, and how a failed attempt ended. */
export function pastTask({ task, words, found, logs }: TriedTask, seat: Seat): PastTask {
  const failed = logs.find((log) => log.at(-1)?.kind === 'end' && returnOf(log, seat) <= 0);
  const last = failed?.findLast((event) => event.kind === 'message' && event.to.includes(seat));
  const failure = last?.kind === 'message' ? { failure: last.text.slice(0, longestFailure) } : {};
  return { task: task as JsonObject, ...(words !== undefined && { words }), rate: found.rate, ...failure };
}

export function returnOf(log: readonly EpisodeEvent[], seat: Seat): number {
  const end = log.at(-1);
  return end?.kind === 'end' ? (end.returns[seat] ?? 0) : 0;
}

export function tokensIn(log: readonly EpisodeEvent[], seats: readonly Seat[]): number {
  return log.reduce((sum, event) => {
    if (event.kind !== 'action' || !seats.includes(event.seat)) return sum;
    return (event.calls ?? []).reduce((subtotal, { tokenIds = [] }) => subtotal + tokenIds.length, sum);
  }, 0);
}

/** All messages of a seat, as its answer. */
export function wordsOf(log: readonly EpisodeEvent[], seat: Seat): string {
  return log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text.trim().toLowerCase()] : [])).join(' ');
}
