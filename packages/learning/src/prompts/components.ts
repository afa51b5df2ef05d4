/**
 * @file The parts of an agent that can change without its weights, as named texts: a component map of its spec, converted both ways to the
 * byte.
 *
 * | name | where it is in a spec |
 * |---|---|
 * | `instruction`, `skill/NAME`, `playbook/NAME`, any other | `texts` |
 * | `persona/FIELD` | a text of the persona |
 * | `module/NAME` | the sentence of a module of a pipeline |
 * | `setting/NAME` (`setting/memory`, `setting/team` …) | `settings`, as JSON |
 * | `notes` | `notes`, as JSON |
 * | `tools` | `tools`, as JSON |
 * | `model` | `model` |
 * | `members/NAME/TEXT`, `module/NAME` | the texts inside a team or a pipeline: `nested-texts.ts` |
 */

import { type AgentSpec, canonical, Fault, hash, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { isNested, isTeam, joinTeam, splitTeam } from './nested-texts.ts';

export type SpecTexts = Readonly<Record<string, string>>;

/** The difference between two maps: texts that are set, and names that are dropped. */
export type Change = { readonly set: SpecTexts; readonly drop: readonly string[] };

/** The kind of a component, by its name. */
export function kindOf(name: string): string {
  const cut = name.indexOf('/');
  if (cut < 0) return name;
  return name.startsWith('setting/') ? name.slice(cut + 1) : name.slice(0, cut);
}

/** Components that contain JSON: they are chosen among values, or read line by line. */
export function isJson(name: string): boolean {
  return name === 'notes' || name === 'tools' || name.startsWith('setting/');
}

/** Components that are written as prose, including memories, one per line. All others are chosen. */
export function isProse(name: string): boolean {
  return name === 'notes' || (name !== 'model' && !isJson(name));
}

/** The prose of a component: memories become one line each. */
export function proseOf(components: SpecTexts, name: string): string {
  const text = components[name] ?? '';
  if (name !== 'notes' || text === '') return text;
  return listIn('notes', text)
    .map((note) => note.replace(linear(/\s*\n\s*/g), ' '))
    .join('\n');
}

/** The components with other prose. */
export function withProse(components: SpecTexts, name: string, text: string): SpecTexts {
  if (name !== 'notes') return { ...components, [name]: text };
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  return { ...components, [name]: canonical(lines) };
}

/** The named texts and settings of a spec that can be improved. */
export function componentsOf(spec: AgentSpec): SpecTexts {
  const match: Record<string, string> = { ...spec.texts };
  if (spec.model !== undefined) match['model'] = spec.model;
  if (spec.notes !== undefined) match['notes'] = canonical(spec.notes);
  if (spec.tools !== undefined) match['tools'] = canonical(spec.tools);
  for (const [name, value] of Object.entries(personaTexts(spec.persona))) match[`persona/${name}`] = value;
  const { settings, texts } = isTeam(spec) ? splitTeam(spec.settings ?? {}) : { settings: spec.settings ?? {}, texts: {} };
  for (const [name, value] of Object.entries(settings)) match[`setting/${name}`] = canonical(value);
  return { ...match, ...texts };
}

/** The spec with other components; everything else is unchanged. */
export function withComponents(spec: AgentSpec, components: SpecTexts): AgentSpec {
  const texts: Record<string, string> = {};
  const persona: Record<string, string> = {};
  const settings: Record<string, Json> = {};
  const nested: Record<string, string> = {};
  const ownEntry: { model?: string; notes?: readonly string[]; tools?: readonly string[] } = {};
  for (const [name, text] of Object.entries(components)) {
    if (name === 'model') ownEntry.model = text;
    else if (name === 'notes' || name === 'tools') ownEntry[name] = listIn(name, text);
    else if (isTeam(spec) && isNested(name)) nested[name] = text;
    else if (name.startsWith('persona/')) persona[name.slice(8)] = text;
    else if (name.startsWith('setting/')) settings[name.slice(8)] = jsonIn(name, text);
    else texts[name] = text;
  }
  const { model: _model, notes: _notes, tools: _tools, texts: _texts, settings: _settings, persona: before, ...rest } = spec;
  const whole = personaWith(before, persona);
  return {
    ...rest,
    ...ownEntry,
    ...(whole === undefined ? {} : { persona: whole }),
    ...(Object.keys(texts).length === 0 ? {} : { texts }),
    ...(Object.keys(settings).length === 0 ? {} : { settings: isTeam(spec) ? joinTeam(settings, nested) : settings }),
  };
}

export function changeBetween(before: SpecTexts, after: SpecTexts): Change {
  const set: Record<string, string> = {};
  for (const [name, text] of Object.entries(after)) if (!Object.hasOwn(before, name) || before[name] !== text) set[name] = text;
  return { set, drop: Object.keys(before).filter((name) => !Object.hasOwn(after, name)) };
}

export function applyChange(before: SpecTexts, change: Change): SpecTexts {
  const after: Record<string, string> = { ...before };
  for (const name of change.drop) delete after[name];
  return { ...after, ...change.set };
}

/** Names of the components that a change touches. */
export function touchedNames({ set, drop }: Change): readonly string[] {
  return [...Object.keys(set), ...drop];
}

export function isEmpty({ set, drop }: Change): boolean {
  return Object.keys(set).length === 0 && drop.length === 0;
}

/** The hash of a spec's content, ignoring its parent. */
export function addressOf(spec: AgentSpec): string {
  const { parent: _, ...content } = spec;
  return hash(content).slice(0, 16);
}

/** A lock is a component's name, or a prefix followed by a star. */
export function isLocked(name: string, locked: readonly string[]): boolean {
  return locked.some((lock) => (lock.endsWith('*') ? name.startsWith(lock.slice(0, -1)) : name === lock));
}

const section = linear(/<!-- locked -->.*?<!-- \/locked -->/gs);

/** Why a change is refused, or null: locked components and locked sections must be unchanged to the byte. */
export function refusal(before: SpecTexts, change: Change, locked: readonly string[]): string | null {
  const name = touchedNames(change).find((item) => isLocked(item, locked));
  if (name !== undefined) return `${name} is locked`;
  for (const item of touchedNames(change)) {
    const retainedMatch = (before[item] ?? '').match(section) ?? [];
    const matchingMatch = (change.set[item] ?? '').match(section) ?? [];
    if (retainedMatch.length !== matchingMatch.length || retainedMatch.some((text, i) => text !== matchingMatch[i]))
      return `a locked section of ${item} was touched`;
  }
  return null;
}

function personaTexts(persona: Json | undefined): SpecTexts {
  if (typeof persona !== 'object' || persona === null || Array.isArray(persona)) return {};
  return Object.fromEntries(Object.entries(persona as JsonObject).filter(([, value]) => typeof value === 'string')) as SpecTexts;
}

/** The persona with other texts: keeps fields that are not texts, and drops missing texts. */
function personaWith(persona: Json | undefined, texts: SpecTexts): Json | undefined {
  const before = personaTexts(persona);
  if (Object.keys(before).length === 0 && Object.keys(texts).length === 0) return persona;
  const retainedEntries = Object.entries((persona ?? {}) as JsonObject).filter(
    ([name]) => !Object.hasOwn(before, name) || Object.hasOwn(texts, name),
  );
  return { ...Object.fromEntries(retainedEntries), ...texts };
}

function listIn(name: string, text: string): readonly string[] {
  const list = jsonIn(name, text);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list as string[];
  throw new Fault('input', `The component "${name}" must be a JSON list of strings, but got ${text.slice(0, 80)}.`);
}

function jsonIn(name: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Fault('input', `The component "${name}" must be JSON, but is not: ${sentenceOf(thrown)}.`);
  }
}
