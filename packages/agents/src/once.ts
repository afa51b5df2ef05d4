/** @file An agent that first gives one answer that a person wrote. */

import type { Agent } from '@ludus-agents/kernel/internal/core/index';

/** Gives one answer that a person wrote beforehand, and says so; then lets the agent play on. */
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
