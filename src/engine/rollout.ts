/** @file Many episodes at once, in lock-step, for policies in this process: same rules and same log as `play`, no promise per turn. */

import {
  type AnyEnvironment,
  boundaryOf,
  type EpisodeEvent,
  type Json,
  type Limits,
  type Policy,
  type Reply,
  type Seat,
  type Seed,
  sentenceOf,
  type Turn,
} from '../core/index.ts';
import { Course, type CourseOptions, limitReached } from './course.ts';
import { createStartEvent, seedOf } from './play.ts';

export interface RolloutOptions extends CourseOptions {
  readonly seeds: readonly Seed[];
  readonly task?: Json;
  readonly limits?: Limits;
  /** Episodes in lock-step at once. The default keeps them in the processor's cache; a batched model may want more. */
  readonly width?: number;
}

/** The turns one policy is asked in one wave, and what it answered. */
interface Batch {
  readonly policy: Policy;
  turns: Turn[];
  replies: readonly Reply[];
  thrown: unknown;
}

/** One seat of one episode in one wave: where its answer will be found. */
interface Slot {
  readonly course: Course;
  readonly seat: Seat;
  readonly batch: Batch;
  readonly index: number;
}

/** One finished log per seed, in the order of the seeds. The same policy on several seats gets their turns in one batch. */
export async function rollout(
  environment: AnyEnvironment,
  policies: Readonly<Record<Seat, Policy>>,
  options: RolloutOptions,
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const { seeds, limits, width = 64 } = options;
  const start = createStartEvent(environment, policies, options.task === undefined ? {} : { task: options.task });
  const batches = [...new Set(Object.values(policies))].map((policy): Batch => ({ policy, turns: [], replies: [], thrown: undefined }));
  const bySeat: Record<Seat, Batch> = {};
  for (const [seat, policy] of Object.entries(policies)) bySeat[seat] = batches.find((batch) => batch.policy === policy) as Batch;

  const logs: (readonly EpisodeEvent[])[] = [];
  for (let from = 0; from < seeds.length; from += width) {
    const courses = seeds.slice(from, from + width).map((seed) => new Course(environment, { ...start, seed: seedOf(seed) }, options));
    let live = courses.filter((course) => !course.over);
    while (live.length > 0) {
      const slots = gather(live, bySeat, limits);
      for (const batch of batches) {
        const asked = batch.turns.length > 0 ? ask(batch) : undefined;
        if (asked !== undefined) await asked;
      }
      settle(slots);
      live = live.filter((course) => !course.over);
    }
    for (const course of courses) logs.push(course.events);
  }
  return logs;
}

/** Asks a policy for its whole batch. A policy that throws fails in each of these episodes, not in the rollout. */
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

function gather(live: readonly Course[], bySeat: Readonly<Record<Seat, Batch>>, limits: Limits | undefined): Slot[] {
  const slots: Slot[] = [];
  for (const seat in bySeat) bySeat[seat]!.turns = [];
  for (const course of live) {
    const limit = limitReached(course, limits);
    if (limit !== null) {
      course.stop('limit', { limit });
      continue;
    }
    for (const ask of course.waiting) {
      const batch = bySeat[ask.seat]!;
      slots.push({ course, seat: ask.seat, batch, index: batch.turns.length });
      batch.turns.push(course.turn(ask));
    }
  }
  return slots;
}

/** Answers in the order of the asks; a seat that failed ends its episode after the other seats' answers are in the log. */
function settle(slots: readonly Slot[]): void {
  const failures: (() => void)[] = [];
  for (const { course, seat, batch, index } of slots) {
    try {
      if (batch.thrown !== undefined) throw batch.thrown;
      course.answer(seat, batch.replies[index]!);
    } catch (thrown) {
      failures.push(() => course.stop('error', { fault: { boundary: boundaryOf(thrown), message: sentenceOf(thrown), seat } }));
    }
  }
  for (const fail of failures) fail();
}
