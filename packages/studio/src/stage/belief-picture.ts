/** @file Reads beliefs among memories as a graph: entities with attributes, and relations between them. */

import type { MemoryShown } from '@ludus-agents/servers/internal/studio/api';

const most = 12;

export interface BeliefEntity {
  readonly name: string;
  /** The chances that it exists or, for a single wish, its values. */
  readonly chances: string;
  readonly attributes: readonly string[];
}

export interface BeliefPicture {
  readonly entities: readonly BeliefEntity[];
  readonly relations: readonly { readonly from: string; readonly to: string; readonly text: string }[];
}

/** The beliefs among memories: "belief.dog", "belief.dog.color", and "belief.dog>sofa". */
export function beliefPicture(memories: readonly MemoryShown[]): BeliefPicture {
  const entities = new Map<string, { chances: string; attributes: string[] }>();
  const entityOf = (name: string) => {
    const entity = entities.get(name) ?? { chances: '', attributes: [] };
    entities.set(name, entity);
    return entity;
  };
  const relations: { from: string; to: string; text: string }[] = [];
  for (const { text, gone } of memories) {
    const { name, value } = beliefIn(text);
    if (gone || name === '') continue;
    const [from = '', to] = name.split('>').map((part) => part.trim());
    if (to !== undefined) {
      for (const end of [from, to]) entityOf(end);
      relations.push({ from, to, text: value });
      continue;
    }
    const [entity = '', ...attribute] = from.split('.');
    if (attribute.length === 0) entityOf(entity).chances = value;
    else entityOf(entity).attributes.push(`${attribute.join('.')}: ${value}`);
  }
  return { entities: [...entities].slice(0, most).map(([name, entity]) => ({ name, ...entity })), relations };
}

/** The name and the value of a belief such as "belief.dog: there 70"; empty if a memory is none. */
function beliefIn(text: string): { readonly name: string; readonly value: string } {
  const at = [text.indexOf(':'), text.indexOf('=')].filter((index) => index >= 0).sort((a, b) => a - b)[0] ?? -1;
  const isBelief = at > 0 && text.toLowerCase().startsWith('belief.');
  return isBelief ? { name: text.slice('belief.'.length, at).trim(), value: text.slice(at + 1).trim() } : { name: '', value: '' };
}
