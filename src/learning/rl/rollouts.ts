/** @file Plays the episodes of an update, by the rollout slot of a recipe: alone or in groups, branched or cut short. */

import {
  type AnyEnvironment,
  type EpisodeEvent,
  type Json,
  type Learner,
  type Limits,
  type Policy,
  rng,
  type Seat,
  type Seed,
} from '../../core/index.ts';
import { rollout } from '../../engine/rollout.ts';
import type { DrawnTask, Tasks } from '../curricula/seed-pool.ts';
import { horizon } from '../curricula/task-choice.ts';
import { branchRollouts } from './branch-rollouts.ts';
import { ChanceSeeds } from './chance-seeds.ts';
import type { Recipe } from './recipe.ts';
import { type EpisodeSample, samplesOf } from './samples.ts';

export interface Players {
  readonly environment: AnyEnvironment;
  readonly learner: Learner;
  readonly seed: Seed;
  readonly seats: readonly Seat[];
  /** The agents on the seats that the learner does not take, at an update. */
  readonly others: (update: number) => Readonly<Record<Seat, Policy>>;
  readonly tasks: Tasks;
  /** Plays somewhere else what would be played here. */
  readonly rollouts?: Rollouts | undefined;
}

/** One episode on each seed by the current learner, with the dice of this member of their groups. */
export interface RolloutBatch {
  readonly update: number;
  readonly member: number;
  readonly seeds: readonly Seed[];
  readonly task: Json;
  readonly limits?: Limits;
}

/** Plays a batch somewhere else; `underway` is called as soon as nothing more is needed from here. */
export type Rollouts = (batch: RolloutBatch, underway: () => void) => Promise<readonly (readonly EpisodeEvent[])[]>;

/**
 * The episodes of an update. Those of a group have one seed, so that the environment rolls the same for all of them, and dice of their own
 * for the learner; frozen seats answer alike.
 */
export async function playGames(
  recipe: Recipe,
  players: Players,
  { update, underway = () => {} }: { readonly update: number; readonly underway?: () => void },
): Promise<readonly EpisodeSample[]> {
  const { environment, learner, seed } = players;
  const others = players.others(update);
  const seats = players.seats.filter((seat) => !Object.hasOwn(others, seat));
  const { training, rollout: how, curriculum } = recipe;
  const size = 'size' in how ? how.size : 1;
  const dice = rng(seed, 'update', update);
  const count = Math.ceil(training.batch / size);
  const chosen: readonly DrawnTask[] =
    how.kind === 'even'
      ? dealsOf(environment, training.task)
          .even(count, dice)
          .map((one) => ({ seed: one }))
      : players.tasks.draw(count, update, dice);
  const policy = learner.policy();
  const groups: (readonly EpisodeEvent[])[][] = chosen.map(() => []);
  const castWith = (salt: number) => {
    const mine = withSalt(policy, salt);
    return { ...others, ...Object.fromEntries(seats.map((seat) => [seat, mine])) };
  };
  const games = {
    seeds: chosen.map((one) => one.seed),
    task: training.task ?? {},
    ...(curriculum.kind === 'horizon' ? { limits: { turns: horizon(update + 1, curriculum.turns, curriculum.every) } } : {}),
  };
  const members = Array.from({ length: how.kind === 'branch' ? how.trunk : size }, (_, member) => member);
  // Elsewhere all are played at once; here one after another, so that a table meets what it meets in one order.
  let waiting = members.length;
  const sent = () => {
    if (--waiting === 0) underway();
  };
  const far = players.rollouts && (await Promise.all(members.map((member) => players.rollouts?.({ update, member, ...games }, sent))));
  for (const member of members) {
    const logs = far?.[member] ?? (await rollout(environment, castWith(member), games));
    logs.forEach((log, group) => {
      groups[group]?.push(log);
    });
  }
  const samples: EpisodeSample[] = [];
  for (const [prompt, trunk] of groups.entries()) {
    const parts = { environment, policies: castWith(size), seats, size, dice };
    const logs = how.kind === 'branch' ? await branchRollouts(trunk, { ...parts, rule: how }) : trunk;
    const { task } = chosen[prompt] as DrawnTask;
    for (const log of logs) samples.push(...samplesOf(log, seats, { prompt, ...(task !== undefined && { task }) }));
  }
  return samples;
}

/** The same policy with other dice. */
export function withSalt(policy: Policy, salt: number): Policy {
  return {
    name: policy.name,
    act: (turns) => policy.act(turns.map((turn) => ({ ...turn, rng: rng(turn.rng.int(2 ** 32), 'salt', salt) }))),
  };
}

const known = new WeakMap<AnyEnvironment, Map<string, ChanceSeeds>>();

/** Deals of an environment and task, found out once. */
function dealsOf(environment: AnyEnvironment, task: Recipe['training']['task'] = {}): ChanceSeeds {
  const byTask = known.get(environment) ?? new Map<string, ChanceSeeds>();
  known.set(environment, byTask);
  const key = JSON.stringify(task);
  const deals = byTask.get(key) ?? new ChanceSeeds(environment, task);
  byTask.set(key, deals);
  return deals;
}
