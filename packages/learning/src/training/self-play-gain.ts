/**
 * @file Measures the gain of self-play. In a zero-sum game the mean return shows nothing, so the learner plays against its initial version,
 * from every seat in turn. If seats can win together, the learner plays all of them.
 */

import { type EndEvent, type Policy, rng, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { type FreshEpisode, type FreshReturns, freshEpisodes, type GainGround } from './gain.ts';

/** For a learner on every seat; the number of seats may differ from task to task. */
type SelfPlayGround = Omit<GainGround, 'mine' | 'others'>;

export class SelfPlayGain {
  readonly #ground: SelfPlayGround;
  readonly #freeze: () => Promise<Policy>;
  /** Whether the seats' returns have a constant sum, so that one wins what the others lose. */
  readonly constantSum: boolean;
  #first: Policy | null = null;

  private constructor(ground: SelfPlayGround, freeze: () => Promise<Policy>, constantSum: boolean) {
    this.#ground = ground;
    this.#freeze = freeze;
    this.constantSum = constantSum;
  }

  /** `freeze` returns a copy of the current learner that does not change. */
  static async create(ground: SelfPlayGround, freeze: () => Promise<Policy>): Promise<SelfPlayGain> {
    if (ground.environment.about.sum !== undefined) return new SelfPlayGain(ground, freeze, true);
    const policy = await freeze();
    const ends: Ended[] = [];
    for (const { play } of freshTasks(ground)) ends.push(...(await play(() => policy)));
    const sums = ends.map(({ returns }) => Object.values(returns).reduce((sum, value) => sum + value, 0));
    const isDecided = ends.some(({ returns }) => new Set(Object.values(returns)).size > 1);
    return new SelfPlayGain(ground, freeze, isDecided && sums.every((sum) => Math.abs(sum - sums[0]) < 1e-9));
  }

  /** The first measurement uses the initial learner on every seat. */
  async measure(policy: Policy): Promise<FreshReturns> {
    const isFirst = this.#first === null;
    this.#first ??= await this.#freeze();
    const first = this.#first;
    const now = isFirst ? first : policy;
    const episodes: FreshEpisode[] = [];
    for (const { number, seats, play } of freshTasks(this.#ground)) {
      if (!this.constantSum) episodes.push(...(await play(() => now)).map((end) => freshOf(seats, number, end)));
      else
        for (const ownSeat of seats)
          episodes.push(...(await play((seat) => (seat === ownSeat ? now : first))).map((end) => freshOf([ownSeat], number, end)));
    }
    return { against: this.constantSum ? 'first self' : 'nobody', episodes };
  }
}

type Ended = Pick<EndEvent, 'returns' | 'penalties'>;

interface FreshTask {
  readonly number: number;
  readonly seats: readonly Seat[];
  readonly play: (policyOf: (seat: Seat) => Policy) => Promise<readonly Ended[]>;
}

/** The tasks with fresh episodes, on the same seeds every time. */
function* freshTasks({ environment, tasks, seed, turns }: SelfPlayGround): Generator<FreshTask> {
  const dice = rng(seed, 'fresh');
  for (const [number, task] of tasks.entries()) {
    const seats: readonly Seat[] = environment.seats(environment.task(task));
    const seeds = Array.from({ length: Math.ceil(freshEpisodes / tasks.length / seats.length) }, () => dice.int(2 ** 32));
    yield {
      number,
      seats,
      async play(policyOf) {
        const logs = await rollout(environment, Object.fromEntries(seats.map((seat) => [seat, policyOf(seat)])), {
          seeds,
          task,
          ...(turns !== undefined && { limits: { turns } }),
        });
        return logs.map((log): Ended => {
          const end = log.at(-1);
          return end?.kind === 'end' ? end : { returns: {}, penalties: {} };
        });
      },
    };
  }
}

/** The mean return of some seats, minus penalties. */
function freshOf(seats: readonly Seat[], task: number, { returns, penalties }: Ended): FreshEpisode {
  const payment = meanOrZero(seats.map((seat) => (returns[seat] ?? 0) - (penalties[seat] ?? 0)));
  return { paid: payment, passed: payment > 0, task };
}
