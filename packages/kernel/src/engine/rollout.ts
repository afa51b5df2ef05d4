/** @file Many episodes at once, in lock-step, for policies in this process: same rules and same log as `play`, no promise per turn. */

import type { AnyEnvironment, EpisodeEvent, FaultRecord, Json, Limits, Policy, Reply, Seat, Seed, Turn } from '../core/index.ts';
import { boundaryOf, FailedTurns, sentenceOf } from '../core/index.ts';
import { Course, type CourseOptions, limitReached } from './course.ts';
import { createStartEvent, seedOf } from './play.ts';

export interface RolloutOptions extends CourseOptions {
  readonly seeds: readonly Seed[];
  readonly task?: Json;
  readonly limits?: Limits;
  /** Episodes in lock-step. The default fits into the processor's cache; a batched model may need more. */
  readonly width?: number;
}

/** The turns of one policy in one wave, and its answers. */
interface Batch {
  readonly policy: Policy;
  turns: Turn[];
  replies: readonly Reply[];
  /** The number of replies passed to their courses. */
  given: number;
  thrown: unknown;
}

interface Casting {
  readonly bySeat: ReadonlyMap<Seat, Batch>;
  /** Set if one policy has all seats, as in self-play and in populations: then no seat is looked up. */
  readonly only: Batch | undefined;
}

/** Plays one episode per seed with policies and returns the logs in the order of the seeds. A policy on several seats gets their turns in one batch. */
export async function rollout(
  environment: AnyEnvironment,
  policies: Readonly<Record<Seat, Policy>>,
  options: RolloutOptions,
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const { seeds, limits, width = 64 } = options;
  const start = createStartEvent(environment, policies, options.task === undefined ? {} : { task: options.task });
  const byPolicy = new Map<Policy, Batch>();
  const bySeat = new Map<Seat, Batch>();
  for (const seat of Object.keys(policies)) {
    const policy = policies[seat]!;
    const batch = byPolicy.get(policy) ?? { policy, turns: [], replies: [], given: 0, thrown: undefined };
    byPolicy.set(policy, batch);
    bySeat.set(seat, batch);
  }
  const batches = [...byPolicy.values()];
  const casting: Casting = { bySeat, only: batches.length === 1 ? batches[0] : undefined };

  const logs: (readonly EpisodeEvent[])[] = [];
  for (let from = 0; from < seeds.length; from += width) {
    const courses: Course[] = [];
    for (const seed of seeds.slice(from, from + width)) courses.push(new Course(environment, { ...start, seed: seedOf(seed) }, options));
    const live = courses.filter((course) => !course.over);
    while (live.length > 0) {
      for (const batch of batches) batch.turns = [];
      gather(live, casting, limits);
      for (const batch of batches) {
        batch.given = 0;
        const request = batch.turns.length > 0 ? ask(batch) : undefined;
        if (request !== undefined) await request;
      }
      settle(live, casting);
      dropFinished(live);
    }
    for (const course of courses) logs.push(course.events);
  }
  return logs;
}

function dropFinished(live: Course[]): void {
  let retainedCount = 0;
  for (const course of live) if (!course.over) live[retainedCount++] = course;
  if (retainedCount < live.length) live.length = retainedCount;
}

/** Calls a policy with its whole batch. An error fails each of these episodes, or those that it names, but not the rollout. */
function ask(batch: Batch): void | Promise<void> {
  const onFailure = (thrown: unknown) => {
    batch.replies = [];
    batch.thrown = thrown;
  };
  batch.thrown = undefined;
  try {
    const answered = batch.policy.act(batch.turns);
    const onReplies = (replies: readonly Reply[]) => {
      batch.replies = replies;
    };
    if (answered instanceof Promise) return answered.then(onReplies, onFailure);
    onReplies(answered);
  } catch (thrown) {
    onFailure(thrown);
  }
}

function gather(live: readonly Course[], { bySeat, only }: Casting, limits: Limits | undefined): void {
  for (const course of live) {
    const limit = limitReached(course, limits);
    if (limit !== null) course.stop('limit', { limit });
    for (const ask of course.waiting) (only ?? bySeat.get(ask.seat)!).turns.push(course.turn(ask));
  }
}

/** The next answer of a batch, or its error. */
function nextAnswer(batch: Batch): Reply {
  const at = batch.given++;
  const { thrown, turns } = batch;
  if (thrown === undefined) return batch.replies[at]!;
  // A policy that calls another for some of its turns rethrows that one's error with fewer answers; the turns they belong to are unknown
  // here.
  const answer = thrown instanceof FailedTurns && thrown.answers.length === turns.length ? thrown.answers[at] : undefined;
  if (answer?.status === 'fulfilled') return answer.value;
  throw answer === undefined ? thrown : answer.reason;
}

/** Answers in the order of the asks; a seat that failed ends its episode after the other seats' answers are in the log. */
function settle(live: readonly Course[], { bySeat, only }: Casting): void {
  for (const course of live) {
    const { waiting } = course;
    let failure: FaultRecord | null = null;
    for (const { seat } of waiting) {
      try {
        course.answer(seat, nextAnswer(only ?? bySeat.get(seat)!));
      } catch (thrown) {
        failure ??= { boundary: boundaryOf(thrown), message: sentenceOf(thrown), seat };
      }
    }
    if (failure !== null) course.stop('error', { fault: failure });
  }
}
