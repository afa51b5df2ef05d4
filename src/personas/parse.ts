/** @file Parses outside JSON into a Persona: every problem is named, every default filled in, and the document gets its hash. */

import { Fault, hash, type Json, type JsonObject } from '../core/index.ts';
import { isObject } from '../core/json.ts';
import { form } from './form.ts';
import type { Persona } from './persona.ts';

type Loose<T> = T extends readonly (infer I)[] ? readonly Loose<I>[] : T extends object ? { readonly [K in keyof T]?: Loose<T[K]> } : T;

/** A persona as an author writes it: only what differs from the defaults, and plain texts for statements, goals and secrets. */
export type PersonaInput = Omit<Loose<Persona>, 'name' | 'statements' | 'goals' | 'secrets'> & {
  readonly name: string;
  readonly statements?: readonly (string | Loose<Persona['statements'][number]>)[];
  readonly goals?: readonly (string | Loose<Persona['goals'][number]>)[];
  readonly secrets?: readonly (string | Loose<Persona['secrets'][number]>)[];
};

/** JSON Schema of `persona/1`, for editors, servers and models that are asked to write one. */
export const personaSchema: JsonObject = form.schema;

/** Deeper nesting than any real document has; beyond it, walking the document could exhaust the stack. */
const deepest = 100;

/** All problems of a document, each a clause that names the field; none means that `parsePersona` accepts it. */
export function checkPersona(json: Json): readonly string[] {
  return inspect(json).problems;
}

/** Reads a persona from outside, or refuses it in one sentence. */
export function parsePersona(json: PersonaInput | Json): Persona {
  return withHash(parseWithoutHash(json));
}

/** The same without its hash, for a reading that is compared and thrown away: hashing is most of the work. */
export function parseWithoutHash(json: PersonaInput | Json): Persona {
  const { persona, problems } = inspect(json as Json);
  if (problems.length > 0) throw new Fault('input', complaint(problems));
  return persona;
}

/** The document with its hash: SHA-256 over everything else in it. */
export function withHash(persona: Persona): Persona {
  const { hash: _, ...rest } = persona;
  return { ...persona, hash: hash(rest) };
}

/** "Ann O'Brien" → "ann-o-brien". Names in any script keep their letters. */
export function slug(name: string): string {
  const parts = name
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  return parts === null ? 'unnamed' : parts.join('-');
}

function inspect(json: Json): { readonly persona: Persona; readonly problems: readonly string[] } {
  const problems: string[] = [];
  if (!isObject(json))
    return { persona: {} as Persona, problems: [`a persona must be an object, but came as ${JSON.stringify(json)?.slice(0, 60)}`] };
  if (depthOf(json) > deepest) return { persona: {} as Persona, problems: [`a persona must not be nested deeper than ${deepest} levels`] };
  const persona = form.read(prepared(json), '', problems);
  if (problems.length === 0) duplicates(persona, problems);
  return { persona, problems };
}

function complaint(problems: readonly string[]): string {
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  return `This is not a valid persona: ${problems.slice(0, 3).join('; ')}${more}.`;
}

/** Lists whose items get an id where the author gave none, with the first letter of it. */
const numbered = { statements: 's', goals: 'g', secrets: 'x' } as const;

function prepared(json: JsonObject): JsonObject {
  const out: Record<string, Json> = { ...json };
  if (out['id'] === undefined) out['id'] = slug(typeof out['name'] === 'string' ? out['name'] : '');
  for (const [name, letter] of Object.entries(numbered)) if (Array.isArray(out[name])) out[name] = withIds(out[name], letter);
  const { voice, knowledge } = out;
  if (isObject(voice) && Array.isArray(voice['examples'])) out['voice'] = { ...voice, examples: withIds(voice['examples'], 'e') };
  if (isObject(knowledge) && Array.isArray(knowledge['canaries']))
    out['knowledge'] = { ...knowledge, canaries: withIds(knowledge['canaries'], 'c') };
  return out;
}

function withIds(items: readonly Json[], letter: string): readonly Json[] {
  return items.map((item, i) => {
    const whole = typeof item === 'string' ? { text: item } : item;
    return isObject(whole) && whole['id'] === undefined ? { id: `${letter}${i + 1}`, ...whole } : whole;
  });
}

function duplicates(persona: Persona, problems: string[]): void {
  const lists = {
    statements: persona.statements,
    goals: persona.goals,
    secrets: persona.secrets,
    'voice.examples': persona.voice.examples,
    'knowledge.canaries': persona.knowledge.canaries,
  };
  for (const [name, items] of Object.entries(lists)) {
    const seen = new Set<string>();
    for (const { id } of items) {
      if (seen.has(id)) problems.push(`${name} must have each id once, but "${id}" comes twice`);
      seen.add(id);
    }
  }
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
