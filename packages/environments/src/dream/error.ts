/** @file Measures a dream's error: compares its predictions with real steps that it was not built from. */

import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { wordOverlap } from '../word-overlap.ts';
import type { DreamEpisode, DreamStep } from './steps.ts';

/** Error rates from 0 to 1 over held-out real steps. */
export type DreamError = {
  readonly steps: number;
  /** The observation differs. */
  readonly told: number;
  /** The word error of the observation (1 − F1). */
  readonly words: number;
  /** The reward differs; and the same over steps with a nonzero real reward. */
  readonly reward: number;
  readonly paying: number;
  /** Only one of the two ends the episode. */
  readonly over: number;
  /** The listed next moves differ. */
  readonly choices: number;
  /** Steps whose situation and move the dream had never seen. */
  readonly unseen: number;
  /** The mean index of the first step with a wrong observation in an episode, or the episode's length if there is none. */
  readonly drift: number;
  /** The number of held-out episodes, and 95% intervals over new episodes. Null if a single episode gives none. */
  readonly episodes?: number;
  readonly intervals?: Readonly<Record<'told' | 'reward' | 'over', readonly [number, number] | null>>;
};

/** The errors of one step of a held-out episode. */
export interface StepError {
  readonly episode: number;
  readonly value: number;
}

/** A dream's prediction for a step. */
export type Predict = (step: DreamStep, rng: Rng) => Promise<DreamStep | null>;

export async function measureError(
  dreamEpisodes: readonly DreamEpisode[],
  predict: Predict,
  {
    isSeen,
    most = 2000,
    interval,
  }: {
    readonly isSeen: (step: DreamStep) => boolean;
    readonly most?: number;
    /** Computes the interval of an error rate, given that steps of the same episode are dependent. */
    readonly interval?: (errors: readonly StepError[]) => readonly [number, number] | null;
  },
): Promise<DreamError> {
  const counts = { words: 0, choices: 0, unseen: 0 };
  const errors: Record<'told' | 'reward' | 'over', StepError[]> = { told: [], reward: [], over: [] };
  let [steps, payment, wronglyPaid, drift, episodes] = [0, 0, 0, 0, 0];
  for (const [i, episode] of dreamEpisodes.entries()) {
    if (steps >= most) break;
    let first = episode.steps.length;
    for (const [at, step] of episode.steps.entries()) {
      const guess = await predict(step, rng(i, 'dream error', at));
      steps++;
      const isWrong = guess?.told !== step.told;
      errors.told.push({ episode: i, value: Number(isWrong) });
      errors.reward.push({ episode: i, value: Number(guess?.reward !== step.reward) });
      errors.over.push({ episode: i, value: Number(guess?.over !== step.over) });
      if (isWrong && first === episode.steps.length) first = at;
      counts.words += 1 - wordOverlap((guess?.told ?? '').split(/\s+/), step.told.split(/\s+/));
      if (step.reward !== 0) payment++;
      if (step.reward !== 0 && guess?.reward !== step.reward) wronglyPaid++;
      if (JSON.stringify(guess?.choices ?? null) !== JSON.stringify(step.choices)) counts.choices++;
      if (!isSeen(step)) counts.unseen++;
    }
    drift += first;
    episodes++;
  }
  const sum = (of: keyof typeof errors) => errors[of].reduce((total, { value }) => total + value, 0);
  const share = (count: number) => (steps === 0 ? 1 : Number((count / steps).toFixed(4)));
  return {
    steps,
    told: share(sum('told')),
    words: share(counts.words),
    reward: share(sum('reward')),
    paying: payment === 0 ? 0 : Number((wronglyPaid / payment).toFixed(4)),
    over: share(sum('over')),
    choices: share(counts.choices),
    unseen: share(counts.unseen),
    drift: episodes === 0 ? 0 : Number((drift / episodes).toFixed(2)),
    ...(interval !== undefined && {
      episodes,
      intervals: { told: interval(errors.told), reward: interval(errors.reward), over: interval(errors.over) },
    }),
  };
}

/** Formats the error as a sentence. */
export function errorWords({ steps, episodes, intervals, told, reward, over, unseen }: DreamError): string {
  if (steps === 0) return 'Its error is not known: no real step was kept to measure it by.';
  const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;
  const figure = (name: 'told' | 'reward' | 'over', value: number) => {
    const interval = intervals?.[name] ?? null;
    return `${percent(value)}${interval === null ? '' : ` (95% ${percent(interval[0])} to ${percent(interval[1])})`}`;
  };
  const of = episodes === undefined ? '' : ` of ${episodes} episodes`;
  return `Of ${steps} real steps${of} that it was not made from, ${figure('told', told)} are told wrongly, ${figure('reward', reward)} paid wrongly, ${figure('over', over)} end wrongly; ${percent(unseen)} it had never seen.`;
}
