/** @file Plays the episodes of an update, by the rollout slot of a recipe: singly or in groups, branched or truncated. */

import type { AnyEnvironment, EpisodeEvent, Json, Learner, Limits, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { type EpisodeSlots, overlapRollouts } from '@ludus-agents/kernel/internal/engine/overlap';
import { type RolloutOptions, rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { DrawnTask, Tasks } from '../curricula/seed-pool.ts';
import { horizon } from '../curricula/task-choice.ts';
import { branchRollouts, freshStarts } from './branch-rollouts.ts';
import { ChanceSeeds } from './chance-seeds.ts';
import type { ActCounter } from './counters.ts';
import { refuseFailedGames } from './failed-games.ts';
import type { GroupField, Recipe } from './recipe.ts';
import { type EpisodeSample, type EpisodeSampleOptions, samplesOf } from './samples.ts';
import { gatedPolicy, type WeightGate } from './weight-gate.ts';

/** Lets episodes run independently instead of in lock-step. */
export interface Overlap {
  readonly slots: EpisodeSlots;
  readonly gate: WeightGate;
}

export interface Players {
  readonly environment: AnyEnvironment;
  readonly learner: Learner;
  /** How the learner plays, if it reads something else than its own policy would. */
  readonly policy?: Policy | undefined;
  readonly seed: Seed;
  readonly seats: readonly Seat[];
  /** The agents on the other seats, at an update. */
  readonly others: (update: number) => Readonly<Record<Seat, Policy>>;
  readonly tasks: Tasks;
  /** Plays the episodes elsewhere. */
  readonly rollouts?: Rollouts | undefined;
  /** Lets episodes run independently; lock-step if unset. */
  readonly overlap?: Overlap | undefined;
  /** Counts the effects of the recipe's rollout. */
  readonly acts?: ActCounter | undefined;
}

/** An episode of the learner with its log: the input of a judge. */
export interface PlayedEpisode {
  readonly sample: EpisodeSample;
  readonly log: readonly EpisodeEvent[];
}

/** A learner with a separate policy for each of several tasks, by the task's number. */
interface TaskLearner {
  policyIn(task: number): Policy;
}

/** One episode on each seed by the current learner; `member` selects the random numbers within their groups. */
export interface RolloutBatch {
  readonly update: number;
  readonly member: number;
  readonly seeds: readonly Seed[];
  readonly task: Json;
  readonly limits?: Limits;
  /** The maximum turns of each episode, if they differ. */
  readonly turns?: readonly (number | null)[];
}

/** Plays a batch elsewhere; calls `underway` as soon as it needs nothing more from this process. */
export type Rollouts = (batch: RolloutBatch, underway: () => void) => Promise<readonly (readonly EpisodeEvent[])[]>;

/**
 * The episodes of an update. Those of a group share one seed, so that the environment's random numbers are equal, while the learner's
 * differ; frozen seats answer alike.
 */
export async function playGames(
  recipe: Recipe,
  players: Players,
  { update, underway = () => {} }: { readonly update: number; readonly underway?: () => void },
): Promise<readonly PlayedEpisode[]> {
  const { environment, learner, seed } = players;
  const others = players.others(update);
  const seats = players.seats.filter((seat) => !Object.hasOwn(others, seat));
  const { training, rollout: how, curriculum } = recipe;
  const size = 'size' in how ? how.size : 1;
  const even = how.kind === 'even';
  // A server has more throughput with concurrent requests.
  const onServer = training.learner === 'tinker';
  const dice = even ? rng(seed, 'games', training.environment, update) : rng(seed, 'update', update);
  const count = Math.ceil(training.batch / size);
  const deals = () => dealsOf(environment, training.task);
  const drawnTasks: readonly DrawnTask[] = even
    ? deals()
        .even(count, dice)
        .map((value) => ({ seed: value }))
    : players.tasks.draw(count, update, dice);
  const { overlap } = players;
  const gated = new Map<number, Policy>();
  const policyIn = (task: number): Policy => {
    const policy = players.policy ?? gated.get(task);
    if (policy !== undefined) return policy;
    const plain = (learner as Partial<TaskLearner>).policyIn?.(task) ?? learner.policy();
    if (overlap === undefined) return plain;
    // All members of all groups share one gated policy, so that their turns are batched.
    const shared = gatedPolicy(plain, overlap.gate);
    gated.set(task, shared);
    return shared;
  };
  const playAll = (cast: Readonly<Record<Seat, Policy>>, options: RolloutOptions) =>
    overlap === undefined ? rollout(environment, cast, options) : overlapRollouts(environment, cast, { ...options, slots: overlap.slots });
  const wanted = drawnTasks.map(({ task }) => (how.kind === 'adaptive' ? attemptsFor(how, players.tasks.successOf(task)) : size));
  const { acts } = players;
  if (how.kind === 'adaptive')
    acts?.add(
      'attempts saved',
      wanted.reduce((sum, count) => sum + size - count, 0),
    );
  acts?.add(
    'tasks met again',
    drawnTasks.filter(({ task, given }) => given !== undefined || players.tasks.successOf(task) !== null).length,
  );
  acts?.reach('tasks pruned', players.tasks.pruned);
  const longer = how.kind === 'adaptive' ? how.longer : undefined;
  const longest = drawnTasks.map(({ task }) => (longer === undefined ? null : turnsFor(longer, players.tasks.longestSuccess(task))));
  const groups: (readonly EpisodeEvent[])[][] = drawnTasks.map(() => []);
  const tasks = training.tasks ?? [training.task ?? {}];
  // Tasks of one family may have different numbers of seats.
  const seatsIn = tasks.map((otherTask) =>
    training.tasks === undefined
      ? seats
      : environment.seats(environment.task(otherTask)).filter((seat: Seat) => !Object.hasOwn(others, seat)),
  );
  const seatsOf = (group: number): readonly Seat[] => {
    const { given } = drawnTasks[group];
    if (given === undefined) return seatsIn[group % tasks.length];
    return environment.seats(environment.task(given)).filter((seat: Seat) => !Object.hasOwn(others, seat));
  };
  const castWith = (salt: number, task: number, mineIn: readonly Seat[] = seatsIn[task]) => {
    const mine = memberPolicy(policyIn(task), recipe, { update, member: salt });
    return { ...others, ...Object.fromEntries(mineIn.map((seat) => [seat, mine])) };
  };
  const games: { width?: number; limits?: Limits } = {
    ...((even || onServer) && { width: count }),
    ...(training.turns !== undefined && { limits: { turns: training.turns } }),
    ...(curriculum.kind === 'horizon' ? { limits: { turns: horizon(update + 1, curriculum.turns, curriculum.every) } } : {}),
  };
  const members = Array.from({ length: how.kind === 'branch' ? how.trunk : size }, (_, member) => member);
  // Remote batches are played concurrently; local ones one after another, so that a table sees them in a fixed order.
  let waiting = members.length;
  const onSent = () => {
    if (--waiting === 0) underway();
  };
  const seeds = drawnTasks.map((drawnTask) => drawnTask.seed);
  // Episodes of one task are played as one batch.
  const places = drawnTasks.map((drawnTask, group) => (drawnTask.given === undefined ? group % tasks.length : drawnTask.task));
  const combined =
    tasks.length === 1 && longer === undefined && drawnTasks.every(({ given }) => given === undefined)
      ? [[...drawnTasks.keys()]]
      : [...Map.groupBy(drawnTasks.keys(), (value) => `${places[value]} ${longest[value]}`).values()];
  const [task] = tasks as readonly [Json];
  /** The groups that have a member with this index; group sizes depend on the task's success. */
  const withMember = (member: number) => [...drawnTasks.keys()].filter((group) => wanted[group] > member);
  const sendMember = (member: number, play: Rollouts) => {
    const groups = withMember(member);
    const turns = longer === undefined ? {} : { turns: groups.map((group) => longest[group]) };
    return play({ update, member, seeds: groups.map((group) => seeds[group]), task, ...games, ...turns }, onSent);
  };
  const { rollouts } = players;
  const far = rollouts && (await Promise.all(members.map((member) => sendMember(member, rollouts))));
  const playMember = async (member: number): Promise<(readonly [group: number, log: readonly EpisodeEvent[]])[]> => {
    if (far !== undefined) return withMember(member).map((group, i) => [group, far[member][i]] as const);
    const playGroup = async (group: readonly number[]) => {
      const mine = group.filter((value) => wanted[value] > member);
      if (mine.length === 0) return [];
      const index = drawnTasks[mine[0]].given === undefined ? mine[0] % tasks.length : 0;
      const ownTask = drawnTasks[mine[0]].given ?? tasks[index];
      const most = longest[mine[0]];
      const limits = most == null ? games : { ...games, limits: { turns: Math.min(most, games.limits?.turns ?? most) } };
      const logs = await playAll(castWith(member, index, seatsOf(mine[0])), {
        seeds: mine.map((value) => seeds[value]),
        task: ownTask,
        ...limits,
      });
      return logs.map((log, at) => [mine[at], log] as const);
    };
    if (overlap !== undefined) return (await Promise.all(combined.map(playGroup))).flat();
    const logged: (readonly [number, readonly EpisodeEvent[]])[] = [];
    for (const group of combined) logged.push(...(await playGroup(group)));
    return logged;
  };
  const atOnce = onServer || overlap !== undefined ? await Promise.all(members.map(playMember)) : null;
  for (const member of members) for (const [group, log] of atOnce?.[member] ?? (await playMember(member))) groups[group]?.push(log);
  refuseFailedGames(groups.flat());
  const played: PlayedEpisode[] = [];
  let game = 0;
  const compare = comparison(recipe, learner, deals);
  for (const [prompt, trunk] of groups.entries()) {
    const taskIndex = prompt % tasks.length;
    const mine = seatsOf(prompt);
    const task = drawnTasks[prompt].given ?? tasks[taskIndex];
    if (how.kind === 'branch' && how.probe === true && far === undefined)
      for (let member = trunk.length, all = freshStarts(trunk, mine, size); member < all; member++)
        acts?.add(
          'fresh starts',
          trunk.push(...(await playAll(castWith(member, taskIndex, mine), { seeds: [seeds[prompt]], task, ...games }))) - member,
        );
    const logs =
      how.kind === 'branch'
        ? await branchRollouts(trunk, { environment, policies: castWith(size, taskIndex, mine), seats: mine, size, dice, rule: how })
        : trunk;
    if (how.kind === 'branch') acts?.add('branches', logs.length - trunk.length);
    const { task: number } = drawnTasks[prompt];
    const keyed = recipe.replay.kind === 'inject' || recipe.guidance !== undefined || recipe.rounds !== undefined;
    const key = keyed ? { key: tasks.length > 1 ? `task ${taskIndex}` : keyOf(drawnTasks[prompt], deals()) } : {};
    for (const log of logs) {
      const options = { prompt, game: game++, ...(number !== undefined && { task: number }), ...key, ...compare };
      const end = log.at(-1);
      const length = longer !== undefined && end?.kind === 'end' ? { length: end.turns } : null;
      for (const sample of samplesOf(log, mine, options)) played.push({ sample: length === null ? sample : { ...sample, ...length }, log });
    }
  }
  return played;
}

/** The number of episodes of a task by its success so far (DART, 2509.23866): the higher, the fewer. */
export function attemptsFor(
  { size, least, above }: { readonly size: number; readonly least: number; readonly above: number },
  success: number | null,
): number {
  if (success === null || success <= above) return size;
  return Math.max(Math.min(least, size), Math.round(size - ((size - least) * (success - above)) / (1 - above)));
}

/** The maximum turns of an episode by the longest success at its task so far (DART); null, no limit, without a success. */
export function turnsFor(longer: number, longest: number | null): number | null {
  return longest === null ? null : Math.ceil(longer * longest);
}

/** The key of a task: its number if tasks are chosen from a pool, its first chance outcome if there are few, or else its seed. */
function keyOf({ task, seed }: DrawnTask, deals: ChanceSeeds): string {
  if (task !== undefined) return `task ${task}`;
  return deals.count > 1 ? `deal ${deals.of(seed)}` : `seed ${seed}`;
}

/** The fields by which the recipe compares turns, if the samples need extra data for it. */
export function comparison({ baseline }: Recipe, learner: Learner, deals: () => ChanceSeeds): Pick<EpisodeSampleOptions, 'compare'> {
  const by: readonly GroupField[] = 'key' in baseline ? baseline.key : baseline.kind === 'bought' ? ['position'] : [];
  return by.some((field) => field === 'deal' || field === 'position' || field === 'opponents')
    ? { compare: { by, deals: deals(), learner: learner.id } }
    : {};
}

/** Curricula whose tasks are seeds of a pool and recur. */
const pooled = ['learnable', 'unsolved', 'first-pass', 'replayed-levels'];
/** A number above the size of any group. */
const mostMembers = 2 ** 16;

/**
 * The learner as a member of a group, with its own random numbers. If tasks of a pool recur, they also depend on the update; otherwise
 * every attempt would repeat the last one. Evenly spread deals are not groups, and use the game's random numbers.
 */
export function memberPolicy(
  policy: Policy,
  { rollout: how, curriculum }: Pick<Recipe, 'rollout' | 'curriculum'>,
  { update, member }: Pick<RolloutBatch, 'update' | 'member'>,
): Policy {
  if (how.kind === 'even') return policy;
  return withSalt(policy, pooled.includes(curriculum.kind) ? update * mostMembers + member : member);
}

/** The same policy with different random numbers. */
export function withSalt(policy: Policy, salt: number): Policy {
  return {
    name: policy.name,
    act: (turns) => policy.act(turns.map((turn) => ({ ...turn, rng: rng(turn.rng.int(2 ** 32), 'salt', salt) }))),
  };
}

const existing = new WeakMap<AnyEnvironment, Map<string, ChanceSeeds>>();

/** The deals of an environment and task, cached. */
export function dealsOf(environment: AnyEnvironment, task: Recipe['training']['task'] = {}): ChanceSeeds {
  const byTask = existing.get(environment) ?? new Map<string, ChanceSeeds>();
  existing.set(environment, byTask);
  const key = JSON.stringify(task);
  const deals = byTask.get(key) ?? new ChanceSeeds(environment, task);
  byTask.set(key, deals);
  return deals;
}
