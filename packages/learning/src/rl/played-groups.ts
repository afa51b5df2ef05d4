/** @file Converts episodes played elsewhere to samples of an update: groups of logs, with the environment's rewards or given ones. */

import type { EpisodeEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { PlayedEpisode } from './rollouts.ts';
import { type EpisodeSample, samplesOf } from './samples.ts';

/** Episodes to compare with each other. */
export interface PlayedGroup {
  readonly logs: readonly (readonly EpisodeEvent[])[];
  /** The return of each episode, paid at its end, in place of the environment's rewards. */
  readonly paid?: readonly number[];
}

export function playedGroups(groups: readonly PlayedGroup[], seats: readonly Seat[]): readonly PlayedEpisode[] {
  const played: PlayedEpisode[] = [];
  let game = 0;
  for (const [prompt, { logs, paid }] of groups.entries())
    for (const [i, log] of logs.entries()) {
      for (const sample of samplesOf(log, seats, { prompt, game }))
        played.push({ sample: paid === undefined ? sample : repaid(sample, paid[i]), log });
      game++;
    }
  return played;
}

/** The same episode with the payment at its last turn and no other rewards; penalties are unchanged. */
function repaid(sample: EpisodeSample, payment: number): EpisodeSample {
  const last = sample.turns.length - 1;
  const fined = sample.turns.reduce((sum, { penalty }) => sum + penalty, 0);
  return { ...sample, turns: sample.turns.map((turn, i) => ({ ...turn, reward: i === last ? payment : 0 })), returned: payment - fined };
}
