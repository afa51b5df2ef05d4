/** @file What a training has brought: the learner before its first game and after its last, on the same fresh seeds, with an interval. */

import { type AnyEnvironment, type Json, type Policy, rng, type Seat, type Seed } from '../core/index.ts';
import { rollout } from '../engine/rollout.ts';
import { type Interval, meanOf } from '../scoring/statistics/mean.ts';

/** Mean returns of the learner's seats before and after, and the difference, seed by seed. */
export interface TrainingGain {
  readonly before: number;
  readonly after: number;
  readonly gain: number;
  /** Of 95 %. */
  readonly interval: Interval;
  readonly episodes: number;
}

export interface GainGround {
  readonly environment: AnyEnvironment;
  readonly tasks: readonly Json[];
  readonly seed: Seed;
  /** The learner's seats, and who plays the others. */
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
}

/** Fresh episodes that each figure rests on. */
const episodes = 64;

/** What a policy is paid in each fresh episode, on average over its seats, penalties taken off. */
export async function freshReturns(policy: Policy, { environment, tasks, seed, mine, others }: GainGround): Promise<readonly number[]> {
  const dice = rng(seed, 'fresh');
  const cast = { ...others, ...Object.fromEntries(mine.map((seat) => [seat, policy])) };
  const out: number[] = [];
  for (const task of tasks) {
    const seeds = Array.from({ length: Math.ceil(episodes / tasks.length) }, () => dice.int(2 ** 32));
    for (const log of await rollout(environment, cast, { seeds, task })) {
      const end = log.at(-1);
      const paid = (seat: Seat) => (end?.kind === 'end' ? (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0) : 0);
      out.push(mine.reduce((sum, seat) => sum + paid(seat), 0) / mine.length);
    }
  }
  return out;
}

export function gainOf(before: readonly number[], after: readonly number[]): TrainingGain {
  const { value, interval } = meanOf(after.map((one, i) => one - before[i]!));
  return { before: meanOf(before).value, after: meanOf(after).value, gain: value, interval, episodes: after.length };
}

export function gainWords({ before, after, gain, interval: [low, high], episodes: count }: TrainingGain): string {
  const sure = low > 0 ? '' : ' That may be chance.';
  return `In ${count} fresh episodes it is paid ${after.toFixed(3)}, before training ${before.toFixed(3)}: ${gain.toFixed(3)} more, 95 % from ${low.toFixed(3)} to ${high.toFixed(3)}.${sure}`;
}
