/**
 * @file Information gain, measured by the learner's own probability of the right answer (IGPO, 2510.14967): each turn is rewarded with the
 * change of that probability. The last turn is rewarded by the outcome alone.
 */

import { Fault, type Learner, rng, type Turn, viewOf } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeJudge, JudgedEpisode } from './judging.ts';
import { informationGain } from './rewards.ts';

/** The right answer of an episode in the learner's format, or null if unknown. */
export type AnswerOf = (episode: JudgedEpisode) => string | null;

/** The answer that proved right: the last one of an episode with a positive return. */
export const paidAnswer: AnswerOf = ({ log, seat, sample }) => {
  const last = log.findLast((event) => event.kind === 'action' && event.seat === seat);
  return sample.returned > 0 && last?.kind === 'action' ? last.action.text : null;
};

/** Rewards every turn by the learner's current weights at the time of judging. */
export function ownChance(learner: Learner, answerOf: AnswerOf): EpisodeJudge {
  return async (episode) => {
    const { sample } = episode;
    const answer = answerOf(episode);
    if (answer === null || sample.turns.length === 0) return sample.turns.map(() => 0);
    if (learner.rowOf === undefined) throw new Fault('input', `${learner.id} cannot score given answers. Use a learner that can.`);
    const rows = sample.turns.map(({ at }) => learner.rowOf!(turnAt(episode, at), answer));
    const logprobs = await learner.logprobs(rows);
    const beliefs = rows.map(({ mask }, i) => {
      let sum = 0;
      for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) sum += logprobs[i][t];
      return Math.exp(sum);
    });
    return informationGain(beliefs, 0);
  };
}

/** The seat's view and ask for the action at a position of the log. */
function turnAt({ log, seat }: JudgedEpisode, at: number): Turn {
  const before = log.slice(0, at);
  const turnEvent = before.findLast((event) => event.kind === 'turn');
  const ask = turnEvent?.kind === 'turn' ? turnEvent.asks.find((item) => item.seat === seat) : undefined;
  return { view: viewOf(before, seat), ask: ask ?? { seat }, rng: rng(0) };
}
