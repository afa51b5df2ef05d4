/**
 * @file Computes the total reward of each turn of an episode: the environment's reward, its penalties, and every judge's channel, by their
 * weights.
 */

import type { Recipe, Setting } from './recipe.ts';
import type { EpisodeSample, TurnSample } from './samples.ts';
import { between } from './schedule.ts';

/** The value of a setting when a share `done` of the run is complete. */
export function settingAt(setting: Setting, done: number): number {
  return typeof setting === 'number' ? setting : between(setting, done);
}

/** The weights of the reward channels at one moment of the run. */
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

/** The rewards of the turns minus penalties; or without penalties, for callers that count them separately. */
export function turnRewards(
  { turns, scale = 1 }: Pick<EpisodeSample, 'turns' | 'scale'>,
  weights: ChannelWeights,
  penalties = true,
): readonly number[] {
  return turns.map(
    (turn) => weights.environment * scale * turn.reward + judgedSum(turn, weights) - (penalties ? weights.penalty * turn.penalty : 0),
  );
}

/** The mean reward of an episode in each judge's channel, before weights. */
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
