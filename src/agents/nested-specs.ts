/** @file Specs within a spec: the members of a team, and the agent whose moves a search weighs. */

import { type AgentSpec, isObject, type Json } from '../core/index.ts';

/** The agents that a spec brings along, as they are written; none where it brings none. What is wrong with them is said elsewhere. */
export function nestedSpecs(given: Partial<AgentSpec>): readonly (AgentSpec | string)[] {
  const { members, base } = (given.settings ?? {}) as { readonly members?: Json; readonly base?: Json };
  const list: readonly (Json | undefined)[] = [...(Array.isArray(members) ? (members as readonly Json[]) : []), base];
  return list.filter((one) => typeof one === 'string' || isObject(one)) as unknown as readonly (AgentSpec | string)[];
}
