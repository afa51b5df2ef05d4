/**
 * @file Many concurrent episodes without a barrier: each continues as soon as its own answers have arrived, and a finished one makes room
 * for the next.
 */

import type { AnyEnvironment, EpisodeEvent, FaultRecord, Json, Limits, Policy, Reply, Seat, Seed, Turn } from '../core/index.ts';
import { boundaryOf, FailedTurns, sentenceOf } from '../core/index.ts';
import { Course, type CourseOptions, limitReached } from './course.ts';
import { createStartEvent, seedOf } from './play.ts';

/** Slots for a number of concurrent episodes, shared by several rollouts; first come, first served. */
export class EpisodeSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(play: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await play();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

export interface OverlapOptions extends CourseOptions {
  readonly seeds: readonly Seed[];
  readonly task?: Json;
  readonly limits?: Limits;
  readonly slots: EpisodeSlots;
}

/**
 * One finished log per seed, in the order of the seeds. The logs have the same rules and random numbers as those of `rollout`: only the
 * order of policy calls differs. Each turn is a call of `act`; a policy that is faster with many turns must batch them itself.
 */
export function overlapRollouts(
  environment: AnyEnvironment,
  policies: Readonly<Record<Seat, Policy>>,
  options: OverlapOptions,
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const { seeds, slots } = options;
  const start = createStartEvent(environment, policies, options.task === undefined ? {} : { task: options.task });
  return Promise.all(
    seeds.map((seed) =>
      slots.use(async () => {
        const course = new Course(environment, { ...start, seed: seedOf(seed) }, options);
        while (!course.over) await advance(course, policies, options.limits);
        return course.events;
      }),
    ),
  );
}

/** Calls all pending seats concurrently; a seat that fails ends the episode after the other seats' answers are in the log. */
async function advance(course: Course, policies: Readonly<Record<Seat, Policy>>, limits: Limits | undefined): Promise<void> {
  const limit = limitReached(course, limits);
  if (limit !== null) return void course.stop('limit', { limit });
  const asks = [...course.waiting];
  const answers = await Promise.allSettled(asks.map((ask) => answerTo(policies[ask.seat]!, course.turn(ask))));
  let failure: FaultRecord | null = null;
  for (const [i, { seat }] of asks.entries()) {
    const answer = answers[i]!;
    try {
      if (answer.status === 'rejected') throw answer.reason;
      course.answer(seat, answer.value);
    } catch (thrown) {
      failure ??= { boundary: boundaryOf(thrown), message: sentenceOf(thrown), seat };
    }
  }
  if (failure !== null) course.stop('error', { fault: failure });
}

async function answerTo(policy: Policy, turn: Turn): Promise<Reply> {
  try {
    return (await policy.act([turn]))[0]!;
  } catch (thrown) {
    const first = thrown instanceof FailedTurns ? thrown.answers[0] : undefined;
    throw first?.status === 'rejected' ? first.reason : thrown;
  }
}
