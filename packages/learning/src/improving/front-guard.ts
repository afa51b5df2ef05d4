/** @file A guard in front of a target that has no words of its own to write a defence into: a bot, a program, a script. */

import { parseKind } from '@ludus-agents/agents/internal/agent-kind';
import { type AgentSpec, isObject, type Json, type Model } from '@ludus-agents/kernel/internal/core/index';
import type { Duelled } from './attack-range.ts';

/** Has an agent texts that it reads? A guard has: the text that it goes by. */
export function hasWords({ kind }: AgentSpec): boolean {
  return ['llm', 'lines', 'guarded'].includes(parseKind(kind).kind);
}

/** The target behind a guard that does nothing yet; a model reads what is not a rule. */
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

/** Pairs of words that attacks which got through have and honest visitors do not, the most common first. */
export function tellingPhrases(observations: readonly Duelled[]): readonly string[] {
  const pairsOf = ({ prompt }: Duelled) => {
    const words = prompt.toLowerCase().match(/[\p{L}\p{N}’']+/gu) ?? [];
    return new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`));
  };
  const honest = new Set(observations.filter(({ hostile }) => !hostile).flatMap((item) => [...pairsOf(item)]));
  const counts = new Map<string, number>();
  for (const item of observations)
    if (item.harm) for (const pair of pairsOf(item)) if (!honest.has(pair)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, mostPhrases)
    .map(([pair]) => pair);
}
