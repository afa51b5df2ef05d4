/** @file An agent whose first answer was written by a person. */

import type { Agent } from '@ludus-agents/kernel/internal/core/index';

/** Returns an agent that first gives a prepared answer, marked as written by a person, and then plays as before. */
export function once(answer: string, agent: Agent): Agent {
  let isGiven = false;
  return {
    ...agent,
    act(turn, signal, simulator) {
      if (isGiven) return agent.act(turn, signal, simulator);
      isGiven = true;
      return { action: { text: answer }, edited: true, ...(turn.mind === undefined ? {} : { mind: turn.mind }) };
    },
  };
}
