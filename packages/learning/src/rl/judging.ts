/** @file Rewards that the environment does not pay: judges see the log, the text and who played, and pay each turn in a channel of their own. */

import { type EpisodeEvent, Fault, isFault, type Json, type Seat, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { winRate } from './rewards.ts';
import type { PlayedEpisode } from './rollouts.ts';
import type { EpisodeSample } from './samples.ts';

/** What a judge is shown: the whole log, whose play is judged, and its turns. */
export interface JudgedEpisode {
  readonly log: readonly EpisodeEvent[];
  readonly seat: Seat;
  readonly sample: EpisodeSample;
  /** Who sits on the seats, where their agents have personas. */
  readonly personas?: Readonly<Record<Seat, Json>>;
}

/** One reward for each turn of the learner's seat; it may take its time. */
export type EpisodeJudge = (episode: JudgedEpisode) => readonly number[] | Promise<readonly number[]>;

/** Every episode with what all judges gave it, each in the channel of its name. All are asked at once. */
export async function judgeSamples(
  played: readonly PlayedEpisode[],
  judges: Readonly<Record<string, EpisodeJudge>>,
  personas?: Readonly<Record<Seat, Json>>,
): Promise<readonly EpisodeSample[]> {
  const channels = Object.entries(judges);
  if (channels.length === 0) return played.map(({ sample }) => sample);
  return Promise.all(
    played.map(async ({ sample, log }) => {
      const given = await Promise.all(
        channels.map(
          async ([name, judge]) =>
            [
              name,
              checkRewards(
                name,
                await askJudge(name, judge, { log, seat: sample.seat, sample, ...(personas !== undefined && { personas }) }),
                sample,
              ),
            ] as const,
        ),
      );
      const turns = sample.turns.map((turn, i) => ({
        ...turn,
        channels: { ...turn.channels, ...Object.fromEntries(given.map(([name, rewards]) => [name, rewards[i]!])) },
      }));
      return { ...sample, turns };
    }),
  );
}

async function askJudge(name: string, judge: EpisodeJudge, episode: JudgedEpisode): Promise<readonly number[]> {
  try {
    return await judge(episode);
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('scorer', `The judge "${name}" failed: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

function checkRewards(name: string, rewards: readonly number[], { turns, seat }: EpisodeSample): readonly number[] {
  if (rewards.length !== turns.length || rewards.some((one) => !Number.isFinite(one)))
    throw new Fault(
      'scorer',
      `The judge "${name}" was asked for ${turns.length} rewards of ${seat}, one for each turn, but gave ${JSON.stringify(rewards)?.slice(0, 80)}.`,
    );
  return rewards;
}

/** How likely the first of two episodes is the better one, from 0 to 1; it may take its time. */
export type RewardPreference = (one: JudgedEpisode, other: JudgedEpisode) => number | Promise<number>;

/** Every episode with the share of the others of its group and seat that it beats (SPO, 2401.04056): rates of a group add up to half its size. */
export async function preferSamples(played: readonly PlayedEpisode[], prefer: RewardPreference): Promise<readonly PlayedEpisode[]> {
  const shown = played.map(({ sample, log }): JudgedEpisode => ({ sample, log, seat: sample.seat }));
  const groups = Map.groupBy(shown.keys(), (i) => `${shown[i]?.sample.prompt}/${shown[i]?.seat}`);
  const won = new Map<number, number>();
  for (const members of groups.values()) {
    const beats = await Promise.all(
      members.map((i) => Promise.all(members.map(async (j) => (i < j ? checkChance(await prefer(at(shown, i), at(shown, j))) : 0)))),
    );
    const chance = (a: number, b: number) => (a < b ? (beats[a]?.[b] as number) : 1 - (beats[b]?.[a] as number));
    const rates = members.length < 2 ? members.map(() => 0.5) : winRate(members.length, chance);
    members.forEach((i, m) => void won.set(i, rates[m]!));
  }
  return played.map(({ sample, log }, i) => ({ log, sample: { ...sample, won: won.get(i) as number } }));
}

function at(shown: readonly JudgedEpisode[], i: number): JudgedEpisode {
  return shown[i]!;
}

function checkChance(chance: number): number {
  if (typeof chance === 'number' && chance >= 0 && chance <= 1) return chance;
  throw new Fault(
    'scorer',
    `A preference is how likely the first of two episodes is the better one, from 0 to 1, but came as ${String(chance)}.`,
  );
}
