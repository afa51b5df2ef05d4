/** @file Specs within a spec: the members of a team, and the agent whose moves a search weighs. */

import { type AgentSpec, isObject, type Json } from '../core/index.ts';

/** The agents that a spec brings along, as they are written; none where it brings none. What is wrong with them is said elsewhere. */
export function nestedSpecs(given: Partial<AgentSpec>): readonly (AgentSpec | string)[] {
  const { members, base } = (given.settings ?? {}) as { readonly members?: Json; readonly base?: Json };
  const list: readonly (Json | undefined)[] = [...(Array.isArray(members) ? (members as readonly Json[]) : []), base];
  return list.filter((one) => typeof one === 'string' || isObject(one)) as unknown as readonly (AgentSpec | string)[];
}

/** The same spec with the agents that it brings along changed one by one. */
export function withNested(spec: AgentSpec, change: (one: AgentSpec | string) => AgentSpec | string): AgentSpec {
  const { members, base } = (spec.settings ?? {}) as { readonly members?: Json; readonly base?: Json };
  const changeOne = (one: Json): Json =>
    typeof one === 'string' || isObject(one) ? (change(one as unknown as AgentSpec | string) as unknown as Json) : one;
  const settings = {
    ...spec.settings,
    ...(Array.isArray(members) ? { members: (members as readonly Json[]).map(changeOne) } : {}),
    ...(base === undefined ? {} : { base: changeOne(base) }),
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
export function turnsWithin({ kind, settings }: AgentSpec): number {
  const { most, width } = (settings ?? {}) as { readonly most?: Json; readonly width?: Json };
  if (kind === 'team') return typeof most === 'number' ? most : 24;
  return typeof width === 'number' ? width : 16;
}
