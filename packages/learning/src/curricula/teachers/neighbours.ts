/**
 * @file Neighbors of ALP-GMM that TeachMyAgent (arXiv 2103.09815) compares: Covar-GMM, RIAC, GoalGAN and self-paced learning, each over
 * tasks that are points. Differs: GoalGAN trains no generator and uses neighbors of good tasks as its samples; Covar-GMM tries mixtures of
 * two and of four; self-paced learning moves its Gaussian along the line to the target as far as the bound on the divergence allows, in
 * place of solving for the best one.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { bestFit, expectShares, weighPoints } from './alp-gmm.ts';
import type { Teacher } from './task-teacher.ts';

type Points = readonly (readonly number[])[];

/** Selects regions in which outcomes rise over time, by their covariance; falling outcomes have weight 0. */
export function covarGmm({ points, every = 50, window = 100 }: { points: Points; every?: number; window?: number }): Teacher {
  let samples: (readonly number[])[] = [];
  let speaking: readonly number[] = points.map(() => 0);
  let outcomeCount = 0;
  return {
    name: 'covar-gmm',
    weights: () => speaking,
    hear(task, outcome, dice) {
      samples = [...samples, [...points[task], outcomeCount / every, outcome]].slice(-window);
      if (++outcomeCount % every !== 0) return;
      const bells = bestFit(samples, [2, 4], dice);
      const { shares } = expectShares(samples, bells);
      const rising = bells.map((bell, i) => ({ ...bell, means: [...bell.means.slice(0, -2), covariance(samples, shares[i])] }));
      speaking = weighPoints(rising, points);
    },
    write: () => ({ samples, speaking, heard: outcomeCount }),
    read(from) {
      const saved = from as { samples: (readonly number[])[]; speaking: readonly number[]; heard: number };
      ({ samples, speaking, heard: outcomeCount } = saved);
    },
  };
}

/** The covariance of the last two axes, time and outcome, among samples weighted by their shares. */
export function covariance(samples: readonly (readonly number[])[], shares: ArrayLike<number>): number {
  const mass = samples.reduce((sum, _, i) => sum + shares[i], 0) + 1e-12;
  const mean = (of: (sample: readonly number[]) => number) => samples.reduce((sum, item, i) => sum + shares[i] * of(item), 0) / mass;
  const [time, outcome] = [mean((item) => item[item.length - 2]), mean((item) => item[item.length - 1])];
  return mean((item) => (item[item.length - 2] - time) * (item[item.length - 1] - outcome));
}

/** Splits regions where the halves differ most in progress; a region's weight is the change of its outcomes. */
export function riac({ points, most = 40 }: { points: Points; most?: number }): Teacher {
  type Region = { readonly tasks: readonly number[]; readonly heard: readonly (readonly [task: number, outcome: number])[] };
  let regions: readonly Region[] = [{ tasks: points.map((_, i) => i), heard: [] }];
  const progress = (messages: Region['heard']) => {
    const [middle, values] = [messages.length >> 1, messages.map(([, outcome]) => outcome)];
    return messages.length < 4 ? 0 : Math.abs(meanOrZero(values.slice(middle)) - meanOrZero(values.slice(0, middle)));
  };
  const cut = (region: Region): readonly Region[] => {
    let [best, widest]: [readonly Region[], number] = [[{ ...region, heard: region.heard.slice(-most) }], -1];
    for (const axis of (points[0] ?? []).keys()) {
      const values = [...new Set(region.tasks.map((task) => points[task][axis]))].sort((a, b) => a - b);
      for (const bound of values.slice(1)) {
        const side = (low: boolean): Region => ({
          tasks: region.tasks.filter((task) => points[task][axis] < bound === low),
          heard: region.heard.filter(([task]) => points[task][axis] < bound === low),
        });
        const halves = [side(true), side(false)] as const;
        if (halves.some(({ heard }) => heard.length < 4)) continue;
        const gap = Math.abs(progress(halves[0].heard) - progress(halves[1].heard)) * halves[0].heard.length * halves[1].heard.length;
        if (gap > widest) [best, widest] = [halves, gap];
      }
    }
    return best;
  };
  return {
    name: 'riac',
    weights(tasks) {
      const weights = tasks.map(() => 0);
      for (const { tasks: ownItems, heard } of regions) for (const task of ownItems) weights[task] = progress(heard) / ownItems.length;
      return weights;
    },
    hear(task, outcome) {
      regions = regions.flatMap((region) => {
        if (!region.tasks.includes(task)) return [region];
        const messages = [...region.heard, [task, outcome] as const];
        return messages.length < most * 2 || region.tasks.length < 2
          ? [{ ...region, heard: messages.slice(-most * 2) }]
          : cut({ ...region, heard: messages });
      });
    },
    write: () => regions as Json,
    read(from) {
      regions = from as readonly Region[];
    },
  };
}

/** Tasks near those with a success rate between one and three quarters; a fifth of the draws goes to previously solved ones. */
export function goalGan({ points, width = 0.1 }: { points: Points; width?: number }): Teacher {
  return {
    name: 'goal-gan',
    weights(tasks) {
      const share = (list: readonly number[], part: number) => {
        const total = list.reduce((sum, value) => sum + value, 0);
        return list.map((value) => (total > 0 ? (part * value) / total : 0));
      };
      const good = tasks.flatMap(({ visits, value }, i) => (visits > 0 && value >= 0.25 && value <= 0.75 ? [i] : []));
      const near = points.map((point) => good.reduce((sum, value) => sum + Math.exp(-distance(point, points[value]) / width ** 2), 0));
      const old = tasks.map(({ visits, value }) => (visits > 0 && value > 0.75 ? 1 : 0));
      const [fresh, replayed] = [share(near, 0.8), share(old, 0.2)];
      return fresh.map((value, i) => value + replayed[i]);
    },
  };
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, axis) => sum + (x - b[axis]) ** 2, 0);
}

type Bell = { readonly mean: readonly number[]; readonly deviation: readonly number[] };

/** A Gaussian over tasks that gradually moves to the center of all tasks and widens, as long as its tasks are solved. */
export function selfPaced({
  points,
  every = 20,
  least = 0.5,
  step = 0.1,
}: {
  points: Points;
  every?: number;
  least?: number;
  step?: number;
}): Teacher {
  let bell: Bell | null = null;
  let outcomes: readonly number[] = [];
  const axes = points[0] ?? [];
  const target: Bell = { mean: axes.map(() => 0.5), deviation: axes.map(() => 0.5) };
  const between = (from: Bell, share: number): Bell => ({
    mean: from.mean.map((value, i) => value + share * (target.mean[i] - value)),
    deviation: from.deviation.map((value, i) => value + share * (target.deviation[i] - value)),
  });
  return {
    name: 'self-paced',
    weights: (tasks) =>
      bell === null
        ? tasks.map(() => 0)
        : points.map((point) => Math.exp(-point.reduce((sum, x, i) => sum + (x - bell!.mean[i]) ** 2 / (2 * bell!.deviation[i] ** 2), 0))),
    hear(task, outcome) {
      // No corner is known to be easy, so the search starts at the first solved task.
      if (bell === null) {
        if (outcome >= least) bell = { mean: points[task], deviation: axes.map(() => 0.1) };
        return;
      }
      outcomes = [...outcomes, outcome];
      if (outcomes.length < every) return;
      const isSolved = meanOrZero(outcomes) >= least;
      outcomes = [];
      if (!isSolved) return;
      let [low, high] = [0, 1];
      for (let i = 0; i < 20; i++) {
        const middle = (low + high) / 2;
        if (divergence(between(bell, middle), bell) <= step) low = middle;
        else high = middle;
      }
      bell = between(bell, low);
    },
    write: () => ({ bell: bell, outcomes }),
    read(from) {
      const jsonObject = from as JsonObject;
      bell = jsonObject['bell'] as Bell | null;
      outcomes = jsonObject['outcomes'] as readonly number[];
    },
  };
}

/** KL(a‖b) of two Gaussians with independent axes. */
export function divergence(a: Bell, b: Bell): number {
  return a.mean.reduce((sum, mean, i) => {
    const [deviation, other] = [a.deviation[i], b.deviation[i]];
    return sum + Math.log(other / deviation) + (deviation ** 2 + (mean - b.mean[i]) ** 2) / (2 * other ** 2) - 0.5;
  }, 0);
}
