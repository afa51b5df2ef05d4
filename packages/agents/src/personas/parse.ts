/** @file Parses external JSON into a Persona: reports every problem, fills in every default, and adds the document's hash. */

import { Fault, hash, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { clausesOf, firstOf, type ShapeProblem } from '@ludus-agents/kernel/internal/core/shape';
import { form } from './form.ts';
import type { Persona } from './persona.ts';

type Loose<T> = T extends readonly (infer I)[] ? readonly Loose<I>[] : T extends object ? { readonly [K in keyof T]?: Loose<T[K]> } : T;

/** A persona as authors write it: only values that differ from the defaults, and plain texts for statements, goals, and secrets. */
export type PersonaInput = Omit<Loose<Persona>, 'name' | 'statements' | 'goals' | 'secrets'> & {
  readonly name: string;
  readonly statements?: readonly (string | Loose<Persona['statements'][number]>)[];
  readonly goals?: readonly (string | Loose<Persona['goals'][number]>)[];
  readonly secrets?: readonly (string | Loose<Persona['secrets'][number]>)[];
};

/** JSON Schema of `persona/1`, for editors, servers and models that are asked to write one. */
export const personaSchema: JsonObject = form.schema;

/** Deeper than any real document; beyond it, walking the document could exhaust the stack. */
const deepest = 100;

/** All problems of a document, each a clause that names the field; empty if `parsePersona` accepts it. */
export function checkPersona(json: Json): readonly string[] {
  return inspect(json).problems;
}

/** Validates a persona document, or throws a fault with one message. */
export function parsePersona(json: PersonaInput | Json): Persona {
  return withHash(parseWithoutHash(json));
}

/** The same without the hash, for temporary documents: hashing is most of the work. */
export function parseWithoutHash(json: PersonaInput | Json): Persona {
  const { persona, problems } = inspect(json as Json);
  if (problems.length > 0) throw new Fault('input', `This is not a valid persona: ${firstOf(problems)}.`, { code: 'E_INVALID_DOCUMENT' });
  return persona;
}

/** The hash of a document: the stored one of a parsed document, else the one that parsing adds. */
export function hashOfPersona(json: Json): string {
  if (isObject(json) && json['schema'] === 'persona/1' && typeof json['hash'] === 'string' && json['hash'] !== '') return json['hash'];
  return parsePersona(json).hash;
}

/** The document with its hash: SHA-256 over everything else in it. */
export function withHash(persona: Persona): Persona {
  const { hash: _, ...rest } = persona;
  return { ...persona, hash: hash(rest) };
}

function inspect(json: Json): { readonly persona: Persona; readonly problems: readonly string[] } {
  if (depthOf(json) > deepest) return { persona: {} as Persona, problems: [`a persona must not be nested deeper than ${deepest} levels`] };
  const shapeProblems: ShapeProblem[] = [];
  const persona = form.read(json, shapeProblems);
  const problems = clausesOf(shapeProblems, 'a persona');
  return { persona, problems: problems.length > 0 ? problems : duplicates(persona) };
}

function duplicates(persona: Persona): readonly string[] {
  const problems: string[] = [];
  const lists = {
    statements: persona.statements,
    goals: persona.goals,
    secrets: persona.secrets,
    'voice.examples': persona.voice.examples,
    'knowledge.canaries': persona.knowledge.canaries,
  };
  for (const [name, items] of Object.entries(lists)) {
    const visited = new Set<string>();
    for (const { id } of items) {
      if (visited.has(id)) problems.push(`${name} must have unique ids, but "${id}" is used twice`);
      visited.add(id);
    }
  }
  return problems;
}

/** How deep plain data is nested, counted without recursion. */
export function depthOf(json: Json): number {
  let depth = 0;
  for (let layer: readonly Json[] = [json]; layer.length > 0 && depth <= deepest; depth++) {
    const next: Json[] = [];
    for (const value of layer) {
      if (value === null || typeof value !== 'object') continue;
      for (const child of Array.isArray(value) ? value : Object.values(value))
        if (child !== null && typeof child === 'object') next.push(child);
    }
    layer = next;
  }
  return depth;
}
