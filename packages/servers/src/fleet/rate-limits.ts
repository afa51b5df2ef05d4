/**
 * @file The rate limits that the environment variables set. One process keeps them by itself; workers keep them together, through the
 * store.
 */

import { callsAtOnce } from '@ludus-agents/agents/internal/models/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { SharedPace } from './metered-models.ts';

export function paceIn(env: Readonly<Record<string, string | undefined>>): SharedPace {
  const read = (name: string) => {
    const text = env[name] ?? '';
    if (text === '') return undefined;
    if (!/^[1-9]\d*$/.test(text)) throw new Fault('input', `${name} must be a positive integer, but is "${text}".`);
    return Number(text);
  };
  return {
    calls: read('LUDUS_CALLS_PER_MINUTE'),
    tokens: read('LUDUS_TOKENS_PER_MINUTE'),
    atOnce: read('LUDUS_CALLS_AT_ONCE') ?? callsAtOnce,
  };
}
