/** @file Episodes that were played elsewhere, as samples of an update: groups of logs, paid by the environment or by anyone who judged them. */

import type { EpisodeEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { PlayedEpisode } from './rollouts.ts';
import { type EpisodeSample, samplesOf } from './samples.ts';

/** Episodes that are compared with each other. */
export interface PlayedGroup {
  readonly logs: readonly (readonly EpisodeEvent[])[];
  /** What each of them is paid at its end, in place of what the environment paid. */
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

/** The same episode, paid so much at its last turn and nothing before; penalties stay. */
function repaid(sample: EpisodeSample, payment: number): EpisodeSample {
  const last = sample.turns.length - 1;
  const fined = sample.turns.reduce((sum, { penalty }) => sum + penalty, 0);
  return { ...sample, turns: sample.turns.map((turn, i) => ({ ...turn, reward: i === last ? payment : 0 })), returned: payment - fined };
}
