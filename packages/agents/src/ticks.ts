/** @file The cost of an answer in environments with a clock: whole ticks, in the `data` of the action. */

import { type Action, isObject } from '@ludus-agents/kernel/internal/core/index';

export function ticksIn({ data }: Action): number {
  const ticks = isObject(data) ? data['ticks'] : undefined;
  return Number.isSafeInteger(ticks) && (ticks as number) > 0 ? (ticks as number) : 0;
}

/** The action with `more` ticks added. */
export function withTicks(action: Action, more: number): Action {
  if (more === 0) return action;
  return { ...action, data: { ...(isObject(action.data) ? action.data : {}), ticks: ticksIn(action) + more } };
}
