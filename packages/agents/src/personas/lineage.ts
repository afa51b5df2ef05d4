/** @file New personas from existing ones: edit, vary, and merge. Each records its parent by id and hash. */

import { Fault, type Json, type JsonObject, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { traits } from './form.ts';
import { type PersonaInput, parsePersona } from './parse.ts';
import type { BigFive, Parent, Persona, PersonaOperation, Trait, TraitLevel } from './persona.ts';

/** Fields to replace, or a function from the old document to the new. */
export type PersonaEdit = Partial<PersonaInput> | ((persona: Persona) => PersonaInput | Persona);

/** The next version of a persona. An edit is a patch, anything larger a minor version. The imported originals are kept. */
export function derive(parent: Persona, edit: PersonaEdit, op: PersonaOperation = 'edit'): Persona {
  const edited = typeof edit === 'function' ? edit(parent) : { ...parent, ...edit };
  return parsePersona({ ...edited, version: bumpVersion(parent.version, op), parent: parentOf(parent, op) } as Json);
}

export interface Variation {
  readonly count: number;
  readonly seed: Seed;
  /** Standard deviation of the change in each Big Five score; 10 unless given. */
  readonly spread?: number;
  /** The traits that change; by default all that the persona has. */
  readonly traits?: readonly Trait[];
}

/** Variants of a persona that differ only in temperament: same facts, different Big Five scores. */
export function vary(persona: Persona, { count, seed, spread = 10, traits: only = traits }: Variation): readonly Persona[] {
  const levels = persona.identity.personal.bigFive;
  if (levels === undefined || !only.some((trait) => levels[trait] !== undefined))
    throw new Fault('input', `${persona.name} has no Big Five scores to vary. Set identity.personal.bigFive first.`);
  return Array.from({ length: count }, (_, i) => {
    const bigFive: { [T in Trait]?: TraitLevel } = { ...levels };
    for (const trait of only) {
      const level = levels[trait];
      if (level === undefined) continue;
      const score = level.score + spread * normal(seed, persona.id, i, trait);
      bigFive[trait] = { ...level, score: Math.round(Math.min(100, Math.max(0, score))) };
    }
    return derive(persona, (parent) => ({ ...parent, id: `${parent.id}-v${i + 1}`, ...withBigFive(parent, bigFive) }), 'vary');
  });
}

/** Merges two personas: fields of the first take precedence, fields only in the second are added, and lists are joined without repeats. */
export function merge(first: Persona, second: Persona): Persona {
  const skip = ['schema', 'id', 'version', 'hash', 'parent', 'raw', 'kind', 'lang'];
  const without = (persona: Persona) => Object.fromEntries(Object.entries(persona).filter(([key]) => !skip.includes(key))) as JsonObject;
  const merged = uniteJson(without(first), without(second)) as JsonObject;
  const parent = { ...parentOf(first, 'merge'), with: { id: second.id, hash: second.hash } };
  const { id, kind, lang, raw, version } = first;
  return parsePersona({ ...merged, id, kind, lang, raw, version: bumpVersion(version, 'merge'), parent } as Json);
}

function uniteJson(a: Json | undefined, b: Json | undefined): Json {
  if (a === undefined || a === '') return b as Json;
  if (b === undefined) return a;
  if (Array.isArray(a) && Array.isArray(b)) return uniteLists(a, b);
  if (!isObject(a) || !isObject(b)) return a;
  return Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key, uniteJson(a[key], b[key])]));
}

/** Items are equal if their content is, whatever their ids; a new item with a used id gets another. Vectors are not merged as lists. */
function uniteLists(a: readonly Json[], b: readonly Json[]): readonly Json[] {
  if (a.every((item) => typeof item === 'number')) return a.length > 0 ? a : b;
  const key = (item: Json) => JSON.stringify(isObject(item) ? (item['text'] ?? { ...item, id: null }) : item);
  const visited = new Set(a.map(key));
  const ids = new Set(a.map((item) => (isObject(item) ? item['id'] : undefined)));
  const added = b.filter((item) => !visited.has(key(item)));
  return [
    ...a,
    ...added.map((item) =>
      isObject(item) && item['id'] !== undefined && ids.has(item['id']) ? { ...item, id: fresh(String(item['id']), ids) } : item,
    ),
  ];
}

function fresh(id: string, used: Set<Json | undefined>): string {
  let result = id;
  for (let n = 2; used.has(result); n++) result = `${id}~${n}`;
  used.add(result);
  return result;
}

function withBigFive(persona: Persona, bigFive: BigFive): Pick<Persona, 'identity'> {
  const { identity } = persona;
  return { identity: { ...identity, personal: { ...identity.personal, bigFive } } };
}

function parentOf(parent: Persona, op: PersonaOperation): Parent {
  return { id: parent.id, hash: parent.hash, op };
}

function bumpVersion(version: string, op: PersonaOperation): string {
  const [major, minor, patch] = version.split(/[-+]/)[0]!.split('.').map(Number) as [number, number, number];
  return op === 'edit' ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
}

/** A standard normal deviate at a path (Box and Muller). */
function normal(seed: Seed, ...path: readonly (string | number)[]): number {
  const dice = rng(seed, 'vary', ...path);
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}
