/**
 * @file Measures the gain of a training: the learner before its first game and after its last, on the same fresh seeds, with an interval.
 */

import { compare } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { type AnyEnvironment, type Json, type Policy, rng, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { type EpisodesView, lastEpisodes } from '../rl/episode-contexts.ts';
import { isProgress, type TaskProgress, taskProgress } from './task-progress.ts';

/** Mean returns of the learner's seats before and after, and the difference, seed by seed. */
export type TrainingGain = {
  /** The opponents: the agents on the other seats, the learner's initial version, or none if the learner has all seats. */
  readonly against: 'others' | 'first self' | 'nobody';
  readonly before: number;
  readonly after: number;
  readonly gain: number;
  /** The 95% interval. */
  readonly interval: Interval;
  /** The population of the intervals, and the number of distinct tasks played. */
  readonly over: Over;
  readonly taskCount: number;
  readonly episodes: number;
  /** The share of these episodes with a positive return before penalties: passed or won. */
  readonly passed: { readonly before: number; readonly after: number; readonly gain: number; readonly interval: Interval };
  /** Percentiles over tasks, if there are five or more, normalized by the better of before and after on each. */
  readonly tasks?: { readonly before: TaskProgress; readonly after: TaskProgress; readonly better: boolean };
};

/** The return of a fresh episode minus penalties, and whether it was positive before penalties. */
export type FreshEpisode = {
  readonly paid: number;
  readonly passed: boolean;
  /** The number of its task. */
  readonly task: number;
};

/** The fresh episodes of one measurement. */
export type FreshReturns = {
  readonly against: TrainingGain['against'];
  readonly episodes: readonly FreshEpisode[];
};

export interface GainGround {
  readonly environment: AnyEnvironment;
  readonly tasks: readonly Json[];
  readonly seed: Seed;
  /** The learner's seats, and the policies on the others. */
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
  /** The maximum turns of an episode; the environment's limit if unset. */
  readonly turns?: number | undefined;
  /** If the learner plays several episodes of a task in one context, it is measured in the last one. */
  readonly contexts?: EpisodesView | undefined;
}

/** The number of fresh episodes behind each figure. */
export const freshEpisodes = 64;

/** The grounds on which a policy of several environments is measured: all of them; null if one of them is pure self-play. */
export function freshGrounds(
  environments: readonly (Pick<GainGround, 'environment' | 'mine' | 'others'> & { readonly settings: { readonly task: Json } })[],
  seed: Seed,
): readonly GainGround[] | null {
  if (environments.some(({ mine, others }) => mine.length > 1 && Object.keys(others).length === 0)) return null;
  return environments.map(({ environment, mine, others, settings }) => ({ environment, mine, others, seed, tasks: [settings.task] }));
}

/** The policy's return in each fresh episode, averaged over its seats; tasks are numbered across environments. */
export async function freshReturns(policy: Policy, grounds: readonly GainGround[]): Promise<readonly FreshEpisode[]> {
  const out: FreshEpisode[] = [];
  let before = 0;
  for (const ground of grounds) {
    for (const episode of await freshIn(policy, ground)) out.push({ ...episode, task: before + episode.task });
    before += ground.tasks.length;
  }
  return out;
}

async function freshIn(
  policy: Policy,
  { environment, tasks, seed, mine, others, turns, contexts }: GainGround,
): Promise<readonly FreshEpisode[]> {
  const dice = rng(seed, 'fresh');
  const cast = { ...others, ...Object.fromEntries(mine.map((seat) => [seat, policy])) };
  const out: FreshEpisode[] = [];
  for (const [number, task] of tasks.entries()) {
    const seeds = Array.from({ length: Math.ceil(freshEpisodes / tasks.length) }, () => dice.int(2 ** 32));
    const logs =
      contexts === undefined
        ? await rollout(environment, cast, { seeds, task, ...(turns !== undefined && { limits: { turns } }) })
        : await lastEpisodes(contexts, { environment, policy, mine, others, task, turns, seed }, seeds);
    for (const log of logs) {
      const end = log.at(-1);
      const [returns, penalties] = end?.kind === 'end' ? [end.returns, end.penalties] : [{}, {}];
      const mean = (of: Readonly<Record<Seat, number>>) => mine.reduce((sum, seat) => sum + (of[seat] ?? 0), 0) / mine.length;
      out.push({ paid: mean(returns) - mean(penalties), passed: mean(returns) > 0, task: number });
    }
  }
  return out;
}

export function gainOf({ episodes: before }: FreshReturns, { episodes: after, against }: FreshReturns): TrainingGain {
  const sideOf = (name: string, episodes: readonly FreshEpisode[], of: (freshEpisode: FreshEpisode) => number) => ({
    name,
    results: episodes.map((episode, seed) => ({ task: String(episode.task), seed, value: of(episode) })),
  });
  const compareBy = (of: (freshEpisode: FreshEpisode) => number) => compare(sideOf('after', after, of), sideOf('before', before, of));
  const figure = ({ sides, difference, interval }: ReturnType<typeof compareBy>) => {
    return { before: sides.b.value, after: sides.a.value, gain: difference, interval };
  };
  const comparison = compareBy((freshEpisode) => freshEpisode.paid);
  const tasks = progressOver(before, after);
  return {
    ...{ against, ...figure(comparison), over: comparison.over, taskCount: comparison.tasks, episodes: after.length },
    passed: figure(compareBy(({ passed }) => Number(passed))),
    ...(tasks !== null && { tasks }),
  };
}

/** The minimum number of tasks for percentiles. */
const leastTasks = 5;

function progressOver(before: readonly FreshEpisode[], after: readonly FreshEpisode[]): NonNullable<TrainingGain['tasks']> | null {
  const means = (of: readonly FreshEpisode[]) =>
    [...Map.groupBy(of, ({ task }) => task).values()].map((freshEpisodes) => meanOrZero(freshEpisodes.map(({ paid }) => paid)));
  const [first, last] = [means(before), means(after)];
  if (first.length < leastTasks) return null;
  const most = first.map((value, i) => Math.max(value, last[i]));
  const [was, is] = [taskProgress(first, most), taskProgress(last, most)];
  return { before: was, after: is, better: isProgress(was, is) };
}

export function gainWords({ against, before, after, gain, interval: [low, high], ...rest }: TrainingGain): string {
  const { episodes: count, passed, tasks, over, taskCount } = rest;
  const sure = low > 0 ? '' : high < 0 ? ' It has become worse.' : ' That may be chance.';
  const rival = against === 'first self' ? ' against its initial version' : '';
  return `In ${count} fresh episodes${rival} it is paid ${after.toFixed(3)}, before training ${before.toFixed(3)}: ${gain.toFixed(3)} more, 95% from ${low.toFixed(3)} to ${high.toFixed(3)}.${sure} ${share(passed.before)}% of them paid more than nothing before, ${share(passed.after)}% after: ${share(passed.gain)} more, 95% from ${share(passed.interval[0])} to ${share(passed.interval[1])}. Intervals are about ${scopeText(over, taskCount)}.${tasks === undefined ? '' : ` ${taskWords(tasks)}`}`;
}

function taskWords({ before, after, better }: NonNullable<TrainingGain['tasks']>): string {
  const list = ({ percentiles }: TaskProgress) => percentiles.map((percentile) => percentile.toFixed(2)).join(', ');
  const verdict = better ? '' : ' Some of them have not improved.';
  return `Task by task, of the most that was paid on each, the 10th to the 50th percentile are ${list(after)}, before training ${list(before)}; ${share(after.participation)}% of the tasks pay something.${verdict}`;
}

function share(of: number): string {
  return (100 * of).toFixed(0);
}
