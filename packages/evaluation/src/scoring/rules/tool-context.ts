/** @file How well a seat manages its tools (MemTool): how many are in its context, and what share of those that came in was removed again. */

import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import type { ScoringRule } from '../scorer.ts';

/** The value is the removal ratio: tools removed for each that was added, over the episode. It does not apply where all tools are always shown. */
export const toolContext: ScoringRule = {
  name: 'tool-context',
  version: 1,
  unit: 'seat',
  find({ log, seat }) {
    const states = (log.answers.get(seat) ?? []).flatMap(({ event }) => {
      const answer = log.episode.events[event];
      const state = answer?.kind === 'action' ? readMind(answer.mind)?.toolState : undefined;
      return state === undefined ? [] : [state];
    });
    const last = states.at(-1);
    if (last === undefined) return null;
    const visible = states.map(({ active }) => active.length);
    const results = Object.values(last.results);
    return {
      value: last.added === 0 ? 0 : last.removed / last.added,
      parts: {
        added: last.added,
        removed: last.removed,
        toolsInContext: visible.reduce((sum, count) => sum + count, 0) / visible.length,
        most: Math.max(...visible),
        calls: results.reduce((sum, { ok, failed }) => sum + ok + failed, 0),
        failed: results.reduce((sum, { failed }) => sum + failed, 0),
      },
    };
  },
};
