/** @file What each turn of an episode is paid in all: the environment's reward, its penalties and every judge's channel, by their weights. */

import type { Recipe, Setting } from './recipe.ts';
import type { EpisodeSample, TurnSample } from './samples.ts';
import { between } from './schedule.ts';

/** A setting at a share of the way. */
export function settingAt(setting: Setting, done: number): number {
  return typeof setting === 'number' ? setting : between(setting, done);
}

/** What channels count at a moment of the run. */
export interface ChannelWeights {
  readonly environment: number;
  readonly penalty: number;
  readonly judged: readonly (readonly [string, number])[];
}

export function channelWeights({ rewards = {} }: Pick<Recipe, 'rewards'>, done: number): ChannelWeights {
  const { environment = { weight: 1 }, penalty = { weight: 1 }, ...judged } = rewards;
  return {
    environment: settingAt(environment.weight, done),
    penalty: settingAt(penalty.weight, done),
    judged: Object.entries(judged).map(([name, { weight }]) => [name, settingAt(weight, done)] as const),
  };
}

/** Rewards of the turns, penalties taken off; or without penalties, for who counts them otherwise. */
export function turnRewards(
  { turns, scale = 1 }: Pick<EpisodeSample, 'turns' | 'scale'>,
  weights: ChannelWeights,
  penalties = true,
): readonly number[] {
  return turns.map(
    (turn) => weights.environment * scale * turn.reward + judgedSum(turn, weights) - (penalties ? weights.penalty * turn.penalty : 0),
  );
}

/** What an episode was paid by each judge's channel, on average, before weights. */
export function channelMeans(episodes: readonly Pick<EpisodeSample, 'turns'>[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { turns } of episodes)
    for (const { channels = {} } of turns)
      for (const [name, payment] of Object.entries(channels)) sums[name] = (sums[name] ?? 0) + payment / episodes.length;
  return sums;
}

function judgedSum({ channels = {} }: TurnSample, { judged }: ChannelWeights): number {
  let sum = 0;
  for (const [name, weight] of judged) sum += weight * (channels[name] ?? 0);
  return sum;
}
