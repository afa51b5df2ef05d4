/** @file What a training has brought: the learner before its first game and after its last, on the same fresh seeds, with an interval. */

import { type AnyEnvironment, type Json, type Policy, rng, type Seat, type Seed } from '../core/index.ts';
import { rollout } from '../engine/rollout.ts';
import { type Interval, meanOf } from '../scoring/statistics/mean.ts';

/** Mean returns of the learner's seats before and after, and the difference, seed by seed. */
export interface TrainingGain {
  /** Against whom: the agents on the other seats, the learner as it began, or nobody, where all seats are the learner's and may win together. */
  readonly against: 'others' | 'first self' | 'nobody';
  readonly before: number;
  readonly after: number;
  readonly gain: number;
  /** Of 95 %. */
  readonly interval: Interval;
  readonly episodes: number;
  /** The share of these episodes that paid more than nothing, penalties apart: what passed, or was won. */
  readonly passed: { readonly before: number; readonly after: number; readonly gain: number; readonly interval: Interval };
}

/** What a fresh episode paid, penalties taken off, and whether it paid more than nothing without them. */
export interface FreshEpisode {
  readonly paid: number;
  readonly passed: boolean;
}

/** Fresh episodes of one measure. */
export interface FreshReturns {
  readonly against: TrainingGain['against'];
  readonly episodes: readonly FreshEpisode[];
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
export const freshEpisodes = 64;

/** What a policy is paid in each fresh episode, on average over its seats. */
export async function freshReturns(
  policy: Policy,
  { environment, tasks, seed, mine, others }: GainGround,
): Promise<readonly FreshEpisode[]> {
  const dice = rng(seed, 'fresh');
  const cast = { ...others, ...Object.fromEntries(mine.map((seat) => [seat, policy])) };
  const out: FreshEpisode[] = [];
  for (const task of tasks) {
    const seeds = Array.from({ length: Math.ceil(freshEpisodes / tasks.length) }, () => dice.int(2 ** 32));
    for (const log of await rollout(environment, cast, { seeds, task })) {
      const end = log.at(-1);
      const [returns, penalties] = end?.kind === 'end' ? [end.returns, end.penalties] : [{}, {}];
      const mean = (of: Readonly<Record<Seat, number>>) => mine.reduce((sum, seat) => sum + (of[seat] ?? 0), 0) / mine.length;
      out.push({ paid: mean(returns) - mean(penalties), passed: mean(returns) > 0 });
    }
  }
  return out;
}

export function gainOf({ episodes: before }: FreshReturns, { episodes: after, against }: FreshReturns): TrainingGain {
  const figure = (of: (one: FreshEpisode) => number) => {
    const { value: gain, interval } = meanOf(after.map((one, i) => of(one) - of(before[i]!)));
    return { before: meanOf(before.map(of)).value, after: meanOf(after.map(of)).value, gain, interval };
  };
  return { against, ...figure(({ paid }) => paid), episodes: after.length, passed: figure(({ passed }) => Number(passed)) };
}

export function gainWords({ against, before, after, gain, interval: [low, high], episodes: count, passed }: TrainingGain): string {
  const sure = low > 0 ? '' : ' That may be chance.';
  const rival = against === 'first self' ? ' against itself as it began' : '';
  return `In ${count} fresh episodes${rival} it is paid ${after.toFixed(3)}, before training ${before.toFixed(3)}: ${gain.toFixed(3)} more, 95 % from ${low.toFixed(3)} to ${high.toFixed(3)}.${sure} ${share(passed.before)} % of them paid more than nothing before, ${share(passed.after)} % after: ${share(passed.gain)} more, 95 % from ${share(passed.interval[0])} to ${share(passed.interval[1])}.`;
}

function share(of: number): string {
  return (100 * of).toFixed(0);
}
