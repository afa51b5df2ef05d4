/** @file A guard for a target whose texts cannot be changed: a bot, a program, a script. */

import { parseKind } from '@ludus-agents/agents/internal/agent-kind';
import { type AgentSpec, isObject, type Json, type Model } from '@ludus-agents/kernel/internal/core/index';
import type { Duelled } from './attack-range.ts';

/** Whether an agent has texts that it reads. A guard does: the text of its rules. */
export function hasWords({ kind }: AgentSpec): boolean {
  return ['llm', 'lines', 'guarded'].includes(parseKind(kind).kind);
}

/** The target behind a guard that does nothing yet; a model evaluates texts that are not rules. */
export function withGuard(target: AgentSpec, model: Model | undefined): AgentSpec {
  const judge: Json = model === undefined ? {} : { judge: `llm:${model.id}` };
  return { name: target.name, kind: 'guarded', settings: { base: target, ...judge } };
}

/** The agent that answers, behind all guards. */
export function agentBehind(spec: AgentSpec): AgentSpec {
  const base = spec.kind === 'guarded' ? spec.settings?.['base'] : undefined;
  if (typeof base === 'string') return { name: base, kind: base };
  return isObject(base) ? agentBehind(base as AgentSpec) : spec;
}

/** The spec with that agent changed. */
export function changeBehind(spec: AgentSpec, change: (agentSpec: AgentSpec) => AgentSpec): AgentSpec {
  const base = spec.kind === 'guarded' ? spec.settings?.['base'] : undefined;
  if (base === undefined) return change(spec);
  const inner = typeof base === 'string' ? { name: base, kind: base } : (base as AgentSpec);
  return { ...spec, settings: { ...spec.settings, base: changeBehind(inner, change) } };
}

const mostPhrases = 8;

/**
 * Word pairs that occur in successful attacks and never in honest messages: first the pair in most attacks, then the one in most of the
 * remaining attacks, and so on, so that a few pairs cover all attacks. Names and numbers only identify an attack's subject, so they come
 * last.
 */
export function tellingPhrases(observations: readonly Duelled[]): readonly string[] {
  const honest = new Set(observations.filter(({ hostile }) => !hostile).flatMap((item) => pairsIn(item).map(lower)));
  const isTelling = (pair: string) => !honest.has(lower(pair));
  let uncovered = observations.filter(({ harm }) => harm).map((item) => pairsIn(item).filter(isTelling));
  const phrases: string[] = [];
  for (const isEligible of [isOrdinary, () => true])
    while (phrases.length < mostPhrases) {
      const counts = Map.groupBy(uncovered.flat().filter(isEligible), (pair) => pair);
      const [best] = [...counts].toSorted(([a, m], [b, n]) => n.length - m.length || b.length - a.length || (a < b ? -1 : 1));
      if (best === undefined) break;
      phrases.push(lower(best[0]));
      uncovered = uncovered.filter((pairs) => !pairs.includes(best[0]));
    }
  return phrases;
}

/** Neither a name nor a number, and with at least one longer word, since honest visitors will eventually use pairs of short words. */
function isOrdinary(pair: string): boolean {
  return pair === lower(pair) && !/\d/.test(pair) && pair.split(' ').some((word) => word.length >= 5);
}

const lower = (text: string) => text.toLowerCase();

/** The distinct pairs of words in a visitor's messages, separated only by a space. */
function pairsIn({ prompt, messages = [prompt] }: Duelled): readonly string[] {
  const pairs = messages.flatMap((message) => [...message.matchAll(pairOfWords)].map(([, first, second]) => `${first} ${second}`));
  return [...new Set(pairs)];
}

const pairOfWords = /(?<![\p{L}\p{N}’'])([\p{L}\p{N}’']{1,40}) (?=([\p{L}\p{N}’']{1,40}))/gu;
