/**
 * @file Reflection, after Generative Agents: when enough has happened, derives a few insights from recent records, each with its evidence.
 *
 * A rule-based sum triggers it; a model is called only if an agent's settings enable it. It triggers at a sum of 150 or more (the paper
 * says "exceeds"), resets to 0, and rejects an insight that names no existing record.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { NewMemory } from './memory.ts';

const reflectAt = 150;

/** Adds one event to the sum of importance since the last reflection; when `due`, the sum starts over. */
export function weigh(load: number, importance: number, threshold = reflectAt): { readonly load: number; readonly due: boolean } {
  const sum = load + importance;
  return sum >= threshold ? { load: 0, due: true } : { load: sum, due: false };
}

const mostInsights = 5;

/**
 * Parses insights from a model's answer: one per line, each ending in the numbers of its supporting records, as in "Tomas needs money (3,
 * 7)". `ids` are the records as numbered from 1 in the question.
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
