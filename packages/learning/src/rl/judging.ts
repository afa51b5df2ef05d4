/** @file Rewards from judges: they see the log, the text and the players' personas, and pay each turn in their own channel. */

import { type EpisodeEvent, Fault, isFault, isObject, type Json, type Seat, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { ActCounter } from './counters.ts';
import { winRate } from './rewards.ts';
import type { PlayedEpisode } from './rollouts.ts';
import type { EpisodeSample } from './samples.ts';

/** The input of a judge: the whole log, the seat that is judged, and its turns. */
export interface JudgedEpisode {
  readonly log: readonly EpisodeEvent[];
  readonly seat: Seat;
  readonly sample: EpisodeSample;
  /** The personas on the seats, if their agents have any. */
  readonly personas?: Readonly<Record<Seat, Json>>;
  /** The right answers that the recipe gives its reward source. */
  readonly reference?: Json;
}

/** Why a reward source has no score for an episode, which differs from a score of 0. */
export interface NoScore {
  readonly missing: string;
}

/** One reward for each turn of the learner's seat, or the reason why there is none; may be asynchronous. */
export type EpisodeJudge = (episode: JudgedEpisode) => readonly number[] | NoScore | Promise<readonly number[] | NoScore>;

/** The name of the source that replaces the environment's reward. */
const assigning = 'judge';

/** The counter of episodes with a nonzero reward from a source. */
function counterOf(source: string): string {
  return `scored by ${source}`;
}

/** The number of episodes that a source may leave without a score before the run ends. */
const patience = 256;

/**
 * Counts how often each reward source was asked and how often it had a score, to distinguish a source without scores from one that pays 0.
 */
export class SourceTally {
  readonly #acts: ActCounter;
  readonly #sources = new Map<string, { asked: number; scored: number; reason: string }>();

  constructor(acts = new ActCounter()) {
    this.#acts = acts;
  }

  /** Returns the rewards unchanged, or 0 for every turn if there is no score. */
  count(name: string, input: readonly number[] | NoScore, turns: number): readonly number[] {
    const source = this.#sources.get(name) ?? { asked: 0, scored: 0, reason: '' };
    this.#sources.set(name, source);
    source.asked++;
    if ('missing' in input) {
      source.reason = input.missing;
      return new Array<number>(turns).fill(0);
    }
    source.scored++;
    if (input.some((reward) => reward !== 0)) this.#acts.add(counterOf(name), 1);
    return input;
  }

  /**
   * Ends the run if a source has had no score after enough episodes or at the last update, or if the source that replaces the environment's
   * reward has paid only 0 by the last update.
   */
  check(isLast: boolean): void {
    for (const [name, { asked, scored, reason }] of this.#sources) {
      if (asked === 0 || (!isLast && asked < patience)) continue;
      if (scored === 0)
        throw new Fault(
          'scorer',
          `The reward source "${name}" scored none of ${asked} episodes: ${reason.replace(/[.]$/, '')}. There is nothing to learn from.`,
        );
      if (isLast && name === assigning && (this.#acts.counts[counterOf(name)] ?? 0) === 0)
        throw new Fault(
          'scorer',
          `The source of assignment.by paid 0 to each of ${asked} episodes, so there was nothing to learn from. Check its items or its scale.`,
        );
    }
  }
}

/** Adds the rewards of all judges to every episode, each in the channel of its name. All judges run concurrently. */
export async function judgeSamples(
  played: readonly PlayedEpisode[],
  judges: Readonly<Record<string, EpisodeJudge>>,
  {
    personas,
    tally = new SourceTally(),
  }: { readonly personas?: Readonly<Record<Seat, Json>> | undefined; readonly tally?: SourceTally } = {},
): Promise<readonly EpisodeSample[]> {
  const channels = Object.entries(judges);
  if (channels.length === 0) return played.map(({ sample }) => sample);
  return Promise.all(
    played.map(async ({ sample, log }) => {
      const inputs = await Promise.all(
        channels.map(
          async ([name, judge]) =>
            [
              name,
              checkRewards(
                name,
                tally.count(
                  name,
                  await askJudge(name, judge, { log, seat: sample.seat, sample, ...(personas !== undefined && { personas }) }),
                  sample.turns.length,
                ),
                sample,
              ),
            ] as const,
        ),
      );
      const turns = sample.turns.map((turn, i) => ({
        ...turn,
        channels: { ...turn.channels, ...Object.fromEntries(inputs.map(([name, rewards]) => [name, rewards[i]])) },
      }));
      return { ...sample, turns };
    }),
  );
}

async function askJudge(name: string, judge: EpisodeJudge, episode: JudgedEpisode): Promise<readonly number[] | NoScore> {
  try {
    const answer: unknown = await judge(episode);
    if (!Array.isArray(answer) && !(isObject(answer) && typeof answer['missing'] === 'string'))
      throw new Fault(
        'scorer',
        `The judge "${name}" was asked for a list of rewards, one for each turn of ${episode.seat}, or {"missing": "why"}, but gave ${String(JSON.stringify(answer)).slice(0, 80)}.`,
      );
    return answer as readonly number[] | NoScore;
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('scorer', `The judge "${name}" failed: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

function checkRewards(name: string, rewards: readonly number[], { turns, seat }: EpisodeSample): readonly number[] {
  if (rewards.length !== turns.length || rewards.some((reward) => !Number.isFinite(reward)))
    throw new Fault(
      'scorer',
      `The judge "${name}" was asked for ${turns.length} rewards of ${seat}, one for each turn, but gave ${JSON.stringify(rewards)?.slice(0, 80)}.`,
    );
  return rewards;
}

/** The probability, from 0 to 1, that the first of two episodes is the better one; may be asynchronous. */
export type RewardPreference = (judgedEpisode: JudgedEpisode, other: JudgedEpisode) => number | Promise<number>;

/**
 * Adds to every episode the share of the others of its group and seat that it beats (SPO, 2401.04056): the rates of a group add up to half
 * its size.
 */
export async function preferSamples(played: readonly PlayedEpisode[], prefer: RewardPreference): Promise<readonly PlayedEpisode[]> {
  const judgedEpisodes = played.map(({ sample, log }): JudgedEpisode => ({ sample, log, seat: sample.seat }));
  const groups = Map.groupBy(judgedEpisodes.keys(), (i) => `${judgedEpisodes[i]?.sample.prompt}/${judgedEpisodes[i]?.seat}`);
  const won = new Map<number, number>();
  for (const members of groups.values()) {
    const beats = await Promise.all(
      members.map((i) =>
        Promise.all(members.map(async (j) => (i < j ? checkChance(await prefer(at(judgedEpisodes, i), at(judgedEpisodes, j))) : 0))),
      ),
    );
    const chance = (a: number, b: number) => (a < b ? (beats[a]?.[b] as number) : 1 - (beats[b]?.[a] as number));
    const rates = members.length < 2 ? members.map(() => 0.5) : winRate(members.length, chance);
    members.forEach((i, m) => void won.set(i, rates[m]));
  }
  return played.map(({ sample, log }, i) => ({ log, sample: { ...sample, won: won.get(i) as number } }));
}

function at(judgedEpisodes: readonly JudgedEpisode[], i: number): JudgedEpisode {
  return judgedEpisodes[i];
}

function checkChance(chance: number): number {
  if (typeof chance === 'number' && chance >= 0 && chance <= 1) return chance;
  throw new Fault('scorer', `A preference is the probability that the first episode is better, from 0 to 1, but got ${String(chance)}.`);
}
