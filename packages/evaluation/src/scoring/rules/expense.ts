/** @file What a seat's model calls cost: tokens, money where every price is known, and time. */

import type { ScoringRule } from '../scorer.ts';

/** The value is tokens, read and written. Money and time are null where one of the calls lacks them. */
export const expense: ScoringRule = {
  name: 'expense',
  version: 1,
  unit: 'seat',
  lowerIsBetter: true,
  floor: 0,
  find({ log, seat }) {
    let [calls, prompt, completion, truncated] = [0, 0, 0, 0];
    let money: number | null = 0;
    let milliseconds: number | null = 0;
    let slowest = 0;
    for (const { event } of log.answers.get(seat) ?? []) {
      const episodeEvent = log.episode.events[event];
      if (episodeEvent?.kind !== 'action' || episodeEvent.calls === undefined) continue;
      for (const call of episodeEvent.calls) {
        calls++;
        prompt += call.usage.promptTokens;
        completion += call.usage.completionTokens;
        truncated += call.finish === 'length' ? 1 : 0;
        money = money === null || call.cost === null ? null : money + call.cost;
        milliseconds = milliseconds === null || call.milliseconds === undefined ? null : milliseconds + call.milliseconds;
        slowest = Math.max(slowest, call.milliseconds ?? 0);
      }
    }
    if (calls === 0) return null;
    const time = { milliseconds, slowest: milliseconds === null ? null : slowest };
    return { value: prompt + completion, parts: { calls, promptTokens: prompt, completionTokens: completion, money, ...time, truncated } };
  },
};
