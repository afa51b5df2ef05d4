/** @file Rewards that the environment does not pay: judges see the log, the text and who played, and pay each turn in a channel of their own. */

import { type EpisodeEvent, Fault, type Seat } from '../../core/index.ts';
import type { PlayedEpisode } from './rollouts.ts';
import type { EpisodeSample } from './samples.ts';

/** What a judge is shown: the whole log, whose play is judged, and its turns. */
export interface JudgedEpisode {
  readonly log: readonly EpisodeEvent[];
  readonly seat: Seat;
  readonly sample: EpisodeSample;
}

/** One reward for each turn of the learner's seat; it may take its time. */
export type EpisodeJudge = (episode: JudgedEpisode) => readonly number[] | Promise<readonly number[]>;

/** Every episode with what all judges gave it, each in the channel of its name. All are asked at once. */
export async function judgedSamples(
  played: readonly PlayedEpisode[],
  judges: Readonly<Record<string, EpisodeJudge>>,
): Promise<readonly EpisodeSample[]> {
  const channels = Object.entries(judges);
  if (channels.length === 0) return played.map(({ sample }) => sample);
  return Promise.all(
    played.map(async ({ sample, log }) => {
      const given = await Promise.all(
        channels.map(async ([name, judge]) => [name, checked(name, await judge({ log, seat: sample.seat, sample }), sample)] as const),
      );
      const turns = sample.turns.map((turn, i) => ({
        ...turn,
        channels: { ...turn.channels, ...Object.fromEntries(given.map(([name, rewards]) => [name, rewards[i] as number])) },
      }));
      return { ...sample, turns };
    }),
  );
}

function checked(name: string, rewards: readonly number[], { turns, seat }: EpisodeSample): readonly number[] {
  if (rewards.length !== turns.length || rewards.some((one) => !Number.isFinite(one)))
    throw new Fault(
      'scorer',
      `The judge "${name}" was asked for ${turns.length} rewards of ${seat}, one for each turn, but gave ${JSON.stringify(rewards)?.slice(0, 80)}.`,
    );
  return rewards;
}
