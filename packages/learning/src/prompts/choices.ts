/**
 * @file Components that are chosen instead of written: settings, models, tools, or whole texts of a sweep, each with the values it may
 * take.
 *
 * A choice is named by its component, or by a path inside a setting: `setting/members.Ann.model` is the model of the member Ann. List
 * entries are found by name or number.
 */

import { canonical, equal, Fault, isObject, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { isJson, isLocked, type SpecTexts } from './components.ts';

/** The allowed values of components, by name. Texts are plain, settings are JSON. */
export type Choices = Readonly<Record<string, readonly Json[]>>;

/** The component of a choice. */
export function componentOfChoice(name: string): string {
  return placeOf(name).component;
}

interface ChoicePlace {
  readonly component: string;
  readonly path: readonly string[];
}

function placeOf(name: string): ChoicePlace {
  if (!name.startsWith('setting/')) return { component: name, path: [] };
  const [component = name, ...path] = name.split('.');
  return { component, path };
}

/** A component's value at a choice's path; undefined if it has none. */
export function chosenValue(components: SpecTexts, name: string): Json | undefined {
  const { component, path } = placeOf(name);
  const text = components[component];
  if (text === undefined || !isJson(component)) return text;
  let at: Json | undefined = JSON.parse(text) as Json;
  for (const key of path) at = at === undefined ? undefined : entryOf(at, key);
  return at;
}

/** The components with a new value at a choice's path. */
export function withChoice(components: SpecTexts, name: string, value: Json): SpecTexts {
  const { component, path } = placeOf(name);
  if (!isJson(component)) return { ...components, [component]: typeof value === 'string' ? value : canonical(value) };
  const before = components[component];
  const whole =
    path.length === 0 ? value : replaceAt(before === undefined ? undefined : (JSON.parse(before) as Json), path, { name, value });
  return { ...components, [component]: canonical(whole) };
}

/** The values of unlocked choices that differ from the current ones. */
export function openChoices(components: SpecTexts, choices: Choices, locked: readonly string[] = []): Choices {
  const open = Object.entries(choices).flatMap(([name, values]) => {
    if (isLocked(componentOfChoice(name), locked)) return [];
    const now = chosenValue(components, name);
    const others = values.filter((value) => now === undefined || !equal(value, now));
    return others.length === 0 ? [] : [[name, others] as const];
  });
  return Object.fromEntries(open);
}

/** The choices with the given names. */
export function choicesAmong(choices: Choices, names: readonly string[]): Choices {
  return Object.fromEntries(Object.entries(choices).filter(([name]) => names.includes(name)));
}

/** A random other value of one of the choices; null if none is open. */
export function randomChoice(components: SpecTexts, choices: Choices, dice: Rng): SpecTexts | null {
  const open = Object.entries(openChoices(components, choices));
  if (open.length === 0) return null;
  const [name, values] = dice.pick(open);
  return withChoice(components, name, dice.pick(values));
}

/** Every way to take one value of each choice, the first choice changing slowest. */
export function combinations(components: SpecTexts, choices: Choices): readonly SpecTexts[] {
  return Object.entries(choices).reduce<readonly SpecTexts[]>(
    (before, [name, values]) => before.flatMap((item) => values.map((value) => withChoice(item, name, value))),
    [components],
  );
}

function replaceAt(at: Json | undefined, path: readonly string[], input: { readonly name: string; readonly value: Json }): Json {
  const [key, ...rest] = path;
  if (key === undefined) return input.value;
  if (Array.isArray(at)) {
    const index = indexOf(at, key);
    return at.map((item, i) => (i === index ? replaceAt(item, rest, input) : item));
  }
  if (!isObject(at ?? {})) throw new Fault('input', `The choice "${input.name}" points to ${JSON.stringify(at)}, which has no "${key}".`);
  const object = (at ?? {}) as Readonly<Record<string, Json>>;
  return { ...object, [key]: replaceAt(object[key], rest, input) };
}

function entryOf(at: Json, key: string): Json | undefined {
  if (Array.isArray(at)) return at[indexOf(at, key)];
  return isObject(at) ? (at as Readonly<Record<string, Json>>)[key] : undefined;
}

function indexOf(list: readonly Json[], key: string): number {
  const named = list.findIndex((item) => item === key || (isObject(item) && (item as Readonly<Record<string, Json>>)['name'] === key));
  const index = named >= 0 ? named : /^\d+$/.test(key) ? Number(key) : -1;
  if (index >= 0 && index < list.length) return index;
  const names = list.map((item, i) => (isObject(item) ? String((item as Readonly<Record<string, Json>>)['name'] ?? i) : String(i)));
  throw new Fault('input', `Unknown entry "${key}". Available: ${names.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
}
