/** @file Specs within a spec: the members of a team, the agents that propose and judge moves for a search, the one behind a guard. */

import { type AgentSpec, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { readSearch } from './search/settings.ts';

/** The agents that a spec brings along, as they are written; none where it brings none. What is wrong with them is said elsewhere. */
export function nestedSpecs(given: Partial<AgentSpec>): readonly (AgentSpec | string)[] {
  const { members, base, judge } = (given.settings ?? {}) as { readonly members?: Json; readonly base?: Json; readonly judge?: Json };
  const list: readonly (Json | undefined)[] = [...(Array.isArray(members) ? (members as readonly Json[]) : []), base, judge];
  return list.filter((one) => typeof one === 'string' || isObject(one)) as unknown as readonly (AgentSpec | string)[];
}

/** The same spec with the agents that it brings along changed one by one. */
export function withNested(spec: AgentSpec, change: (one: AgentSpec | string) => AgentSpec | string): AgentSpec {
  const { members, base, judge } = (spec.settings ?? {}) as { readonly members?: Json; readonly base?: Json; readonly judge?: Json };
  const changeOne = (one: Json): Json =>
    typeof one === 'string' || isObject(one) ? (change(one as unknown as AgentSpec | string) as unknown as Json) : one;
  const settings = {
    ...spec.settings,
    ...(Array.isArray(members) ? { members: (members as readonly Json[]).map(changeOne) } : {}),
    ...(base === undefined ? {} : { base: changeOne(base) }),
    ...(judge === undefined ? {} : { judge: changeOne(judge) }),
  };
  return { ...spec, settings };
}

/** Every model that playing a spec may call: its own, and those of the agents it brings along. */
export function modelsOfSpec(given: AgentSpec | string): readonly string[] {
  const spec: Partial<AgentSpec> = typeof given === 'string' ? { kind: given } : given;
  const [llm, name = 'local'] = /^llm(?::(.+))?$/s.exec(spec.kind ?? '') ?? [];
  const own = spec.model ?? (llm === undefined ? undefined : name);
  return [...new Set([...(own === undefined ? [] : [own]), ...nestedSpecs(spec).flatMap(modelsOfSpec)])];
}

/** How many turns the agents that a spec brings along may take in one turn of its own. */
export function turnsWithin(spec: AgentSpec): number {
  const { kind, settings } = spec;
  const { most, width, judge } = (settings ?? {}) as { readonly most?: Json; readonly width?: Json; readonly judge?: Json };
  if (kind === 'guarded') return judge === undefined ? 1 : 2;
  if (kind === 'team') return typeof most === 'number' ? most : 24;
  if (judge !== undefined) {
    const { simulations, judgements, debate, subtasks, reflections } = readSearch(spec);
    return simulations * (1 + judgements) + debate + (subtasks ? 1 : 0) + (reflections ? judgements : 0);
  }
  return typeof width === 'number' ? width : 16;
}
