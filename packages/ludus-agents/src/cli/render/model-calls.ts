/** @file Summarizes the model calls of a log: number, tokens, price, and the share of prompts that a server's cache could have saved. */

import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import { count, money } from '@ludus-agents/kernel/internal/core/format';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';

export interface Called {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars; null if a price is unknown. */
  readonly cost: number | null;
  /** The share of prompts, except each seat's first, that repeats the previous prompt's start; null if no seat was asked twice. */
  readonly stable: number | null;
}

/** Null if no model was called. */
export function sumCalls(events: readonly EpisodeEvent[]): Called | null {
  const actions = events.flatMap((event) => (event.kind === 'action' && event.calls !== undefined ? [event] : []));
  const calls = actions.flatMap((action) => action.calls ?? []);
  if (calls.length === 0) return null;
  const later = actions.flatMap(({ mind }) => {
    const { turn = 0, prompt } = readMind(mind) ?? {};
    return prompt !== undefined && turn > 1 ? [prompt] : [];
  });
  const composed = later.reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    calls: calls.length,
    promptTokens: calls.reduce((sum, { usage }) => sum + usage.promptTokens, 0),
    completionTokens: calls.reduce((sum, { usage }) => sum + usage.completionTokens, 0),
    cost: calls.some(({ cost }) => cost === null) ? null : calls.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    stable: composed === 0 ? null : later.reduce((sum, { stable }) => sum + stable, 0) / composed,
  };
}

/** The same as text; empty without calls. */
export function costWords(events: readonly EpisodeEvent[]): string {
  const called = sumCalls(events);
  if (called === null) return '';
  const { calls, promptTokens, completionTokens, cost, stable } = called;
  const text = cost === null ? 'price unknown' : money(cost);
  const retainedText = stable === null ? '' : `, ${Math.round(100 * stable)}% of prompts unchanged from the previous ones`;
  return `${count(calls, 'model call')}, ${count(promptTokens + completionTokens, 'token')}, ${text}${retainedText}`;
}
