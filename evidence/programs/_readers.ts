/** @file Shared by scripted base models and judges of a search: reading their prompts, and values with noise. */

import type { Agent, Rng, Turn } from '@ludus-agents/kernel/internal/core/index';

export function textsIn({ view }: Turn): readonly string[] {
  return view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
}

export function lastMoveIn({ view }: Turn): string {
  return view.seen.findLast((item) => item.kind === 'action')?.action.text ?? '';
}

/** A value from 0 to 1 as someone sees it who errs by this much. */
export function noisy(value: number, noise: number, random: Rng): number {
  const error = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.min(1, Math.max(0, value + noise * error));
}

/** The move for which the arguments in a text add up to most. */
export function bestArgued(text: string): string {
  const sums = new Map<string, number>();
  for (const [, move, value] of text.matchAll(/For (\[\w+\]): I see (\d\.\d+)/g)) sums.set(move, (sums.get(move) ?? 0) + Number(value));
  return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** The agent, telling of every call. */
export function counting(agent: Agent, tell: () => void): Agent {
  return {
    ...agent,
    act(turn, signal, simulator) {
      tell();
      return agent.act(turn, signal, simulator);
    },
  };
}
