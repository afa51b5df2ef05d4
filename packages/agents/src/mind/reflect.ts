/**
 * @file Reflection, after Generative Agents: when enough has happened, a few insights are drawn from recent records, each with its
 * evidence.
 *
 * The trigger is a sum by rule; a model is asked only where an agent's settings enable it. We fire at a sum of 150 or more (the paper says
 * "exceeds"), begin again at 0, and refuse an insight that does not name a record that exists.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { NewMemory } from './memory.ts';

const reflectAt = 150;

/** What has happened since the last reflection, with one more event; `due` when it is time, and the sum begins again. */
export function weigh(load: number, importance: number, threshold = reflectAt): { readonly load: number; readonly due: boolean } {
  const sum = load + importance;
  return sum >= threshold ? { load: 0, due: true } : { load: sum, due: false };
}

const mostInsights = 5;

/**
 * Insights out of a model's answer: one a line, each ending in the numbers of the records it rests on, as in "Tomas needs money (3, 7)".
 * `ids` are the records as they were numbered from 1 in the question.
 */
export function insightsIn(answer: string, ids: readonly string[], owner: string): readonly NewMemory[] {
  const out: NewMemory[] = [];
  for (const line of answer.split('\n')) {
    const [, insight, numbers] =
      linear(/^\s*(?:[-*•]|\d+[.)])?\s*(.{3,}?)\s*\(\s*(?:because of\s+)?([\d\s,and#]+)\)\s*\.?\s*$/i).exec(line) ?? [];
    if (insight === undefined || numbers === undefined) continue;
    const evidence = [...new Set((numbers.match(/\d+/g) ?? []).map((number) => ids[Number(number) - 1]))].filter((id) => id !== undefined);
    if (evidence.length > 0) out.push({ kind: 'reflection', text: insight, owner, evidence, importance: 8 });
    if (out.length === mostInsights) break;
  }
  return out;
}
