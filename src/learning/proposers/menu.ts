/** @file A small learned proposer: it knows the tasks of a menu by what they last were paid, and takes the better ones more often. */

import type { EpisodeEvent, Policy, Turn } from '../../core/index.ts';
import type { LearnedProposer } from './selfplay.ts';

export interface MenuOptions {
  /** How far a task's value moves towards what it was paid. */
  readonly rate?: number;
  readonly temperature?: number;
  /** The share of proposals that are drawn evenly. */
  readonly even?: number;
}

export function menuProposer({ rate = 0.1, temperature = 0.15, even = 0.1 }: MenuOptions = {}): LearnedProposer & {
  readonly values: ReadonlyMap<string, number>;
} {
  const values = new Map<string, number>();
  const act = ({ ask, rng: dice }: Turn) => {
    const choices = ask.choices ?? ['{}'];
    if (dice.next() < even) return { action: { text: dice.pick(choices) } };
    const weights = choices.map((choice) => Math.exp((values.get(choice) ?? 0) / temperature));
    return { action: { text: choices[dice.weighted(weights)] as string } };
  };
  const policy: Policy = { name: 'menu', act: (turns) => turns.map(act) };
  return {
    policy,
    values,
    learn(episodes) {
      for (const { log, reward } of episodes) {
        const choice = proposalIn(log);
        const before = values.get(choice) ?? 0;
        values.set(choice, before + rate * (reward - before));
      }
    },
  };
}

function proposalIn(log: readonly EpisodeEvent[]): string {
  const event = log.find((one) => one.kind === 'action' && one.seat === 'proposer');
  return event?.kind === 'action' ? event.action.text : '';
}
