/** @file The most model calls that one turn of an agent may take. */

import { readSettings } from '@ludus-agents/agents/internal/llm/settings';
import { nestedSpecs, turnsWithin } from '@ludus-agents/agents/internal/nested-specs';
import { isLanguageTeam, teamOfLanguage } from '@ludus-agents/agents/internal/team/settings';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';

/** The most calls of one turn: some architectures take several, and a tool's result is looked at in a call of its own. */
export function callsATurn(spec: AgentSpec | string): number {
  if (typeof spec === 'string') return 1;
  if (isLanguageTeam(spec)) return callsATurn(teamOfLanguage(spec));
  const nested = nestedSpecs(spec);
  if (nested.length > 0) return turnsWithin(spec) * Math.max(...nested.map(callsATurn));
  if (!/^llm(:|$)/.test(spec.kind)) return 1;
  const { architecture, steps, reflect, revise, writer } = readSettings(spec, null);
  const most =
    architecture === 'jekyll-hyde'
      ? 2 + 2 * steps
      : architecture === 'look-ahead'
        ? 1 + 2 * steps
        : usesTools(spec) || architecture === 'code'
          ? steps + 1
          : 1;
  return most + (reflect ? 1 : 0) + (writer ? 1 : 0) + (revise.most > 0 ? 1 : 0);
}

export function usesTools(spec: AgentSpec | string | undefined): boolean {
  return typeof spec === 'object' && (spec.tools?.length ?? 0) > 0;
}
