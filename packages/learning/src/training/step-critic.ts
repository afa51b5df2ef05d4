/** @file The scorer `critic=RUN`: a trained step critic that scores every step of a seat. `--mask "error>=1"` reads its scores. */

import type { Score, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { turnsInLog } from '../rl/log-turns.ts';
import { criticTurn } from '../rl/step-game.ts';
import { loadTrainedModel } from './trained-agents.ts';

const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

/** One score for each step: 1 if the critic calls it wrong. */
export async function stepCritic(name: string, cwd: string): Promise<Scorer> {
  const learner = await loadTrainedModel(name, cwd);
  const policy = learner.policy({ temperature: 0 });
  return {
    name: 'error',
    tier: 'small',
    async score({ episodes, seat }) {
      const scores: Score[] = [];
      for (const { events } of episodes) {
        const [start] = events;
        const seats = seat === undefined ? (start?.kind === 'start' ? start.seats : []) : [seat];
        const turns = turnsInLog(events, seats);
        const replies = await policy.act(turns.map(({ turn, action }) => criticTurn(turn, action.text)));
        for (const [i, { seat: whose, number }] of turns.entries()) {
          const value = replies[i]?.action.text === 'wrong' ? 1 : 0;
          scores.push({
            name: 'error',
            value,
            status: 'ok',
            seat: whose,
            turn: number,
            lowerIsBetter: true,
            scale: [0, 1],
            evidence: [],
            cost,
            provenance: { critic: name },
          });
        }
      }
      return scores;
    },
  };
}
