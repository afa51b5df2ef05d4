/** @file How far a dream is from the rules: what it says would come, held against real steps that it was not made from. */

import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { wordOverlap } from '../word-overlap.ts';
import type { DreamEpisode, DreamStep } from './steps.ts';

/** Shares from 0 to 1 over held-out real steps. */
export type DreamError = {
  readonly steps: number;
  /** What was told is another text. */
  readonly told: number;
  /** How much of what was told is wrong, by words (one less F1). */
  readonly words: number;
  /** What was paid is another amount; and the same among steps that really paid something. */
  readonly reward: number;
  readonly paying: number;
  /** It is over in one and not in the other. */
  readonly over: number;
  /** The moves that are listed next are others. */
  readonly choices: number;
  /** Steps whose situation and move the dream had never seen. */
  readonly unseen: number;
  /** The mean number of the first step of an episode that was told wrongly; the length where none was. */
  readonly drift: number;
  /** Held-out episodes that the steps are of, and 95% intervals over new episodes; null where one episode gives none. */
  readonly episodes?: number;
  readonly intervals?: Readonly<Record<'told' | 'reward' | 'over', readonly [number, number] | null>>;
};

/** Whether a step of a held-out episode went wrong. */
export interface StepError {
  readonly episode: number;
  readonly value: number;
}

/** What a dream says comes of a step. */
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
    /** The interval of a share of steps, some of which are of the same episode. */
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

/** The same in a sentence. */
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
