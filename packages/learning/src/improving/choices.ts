/** @file The possible choices for an agent: values that a user names with --try, and the neighbors of every setting in its spec. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLanguageKind } from '@ludus-agents/agents/internal/agent-kind';
import { settingNames, settingsShape } from '@ludus-agents/agents/internal/llm/settings';
import { teamShape } from '@ludus-agents/agents/internal/team/settings';
import { switchesOf } from '@ludus-agents/evaluation/internal/ablation-arms';
import { type AgentSpec, equal, Fault, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type Choices, componentOfChoice } from '../prompts/choices.ts';
import { componentsOf, isJson } from '../prompts/components.ts';

/** Settings of a language agent that may change automatically; those that a model or a server might refuse must be named by the user. */
const openSettings: ReadonlySet<string> = new Set(
  'context memory strategy decay memories remember affect plan reflect revise reviseEvery lore steps tail memo temperature topP maxTokens'.split(
    ' ',
  ),
);

/** The choices of an agent: the listed values, and for each other setting of its spec the neighboring values. */
export function choicesFor(spec: AgentSpec, named: Choices): Choices {
  const ownEntries = Object.entries(neighbours(spec)).filter(
    ([name]) => !Object.keys(named).some((item) => componentOfChoice(item) === name),
  );
  return { ...named, ...Object.fromEntries(ownEntries) };
}

/** The choices named by a user, which differ from those derived from the spec. */
export function namedChoices(spec: AgentSpec, choices: Choices): Choices {
  const ownEntry = neighbours(spec);
  return Object.fromEntries(Object.entries(choices).filter(([name, values]) => !equal((ownEntry[name] ?? null) as Json, values as Json)));
}

/** The settings of a spec with their alternative values; and its tools, each left out once. */
function neighbours({ settings = {}, tools = [], ...spec }: AgentSpec): Choices {
  const match: Record<string, readonly Json[]> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (isLanguageKind((spec as AgentSpec).kind) && !openSettings.has(name)) continue;
    const values = valuesNear(value, isLanguageKind((spec as AgentSpec).kind) ? schemaOf(name) : {});
    if (values.length > 1) match[`setting/${name}`] = values;
  }
  if (spec.kind === 'team') Object.assign(match, structuresNear({ ...spec, settings }));
  if (tools.length > 0) match['tools'] = [[...tools], ...tools.map((tool) => tools.filter((otherTool) => otherTool !== tool))];
  return match;
}

/** Up to this number of modules and mechanisms, every subset is tried; above it, each one alone. */
const mostSwitched = 5;

/** Alternative structures of a team: modules or mechanisms switched off, and neighboring modules swapped. */
function structuresNear(spec: AgentSpec): Choices {
  const names = switchesOf(spec);
  const subsets = Array.from({ length: 2 ** Math.min(names.length, mostSwitched) }, (_, set) =>
    names.filter((_, i) => (set >> i) % 2 === 1),
  );
  const off = names.length > mostSwitched ? [[], ...names.map((name) => [name])] : subsets;
  const modules = spec.settings?.['modules'];
  const structure = componentsOf(spec)['setting/modules'];
  if (!Array.isArray(modules) || structure === undefined) return { 'setting/off': off };
  const current = JSON.parse(structure) as readonly Json[];
  const orders = current.slice(0, -2).map((_, i) => [...current.slice(0, i), current[i + 1], current[i], ...current.slice(i + 2)]);
  return { 'setting/off': off, ...(orders.length === 0 ? {} : { 'setting/modules': [current, ...orders] }) };
}

/** All values of an enumeration or a switch; half and double of a number, within its bounds. */
function valuesNear(value: Json, schema: JsonObject): readonly Json[] {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  if (typeof value === 'boolean') return [true, false];
  if (typeof value !== 'number') return [];
  const near =
    Number.isInteger(value) && schema['type'] !== 'number' ? [Math.floor(value / 2), value, value * 2] : [value / 2, value, value * 2];
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema as { minimum?: number; maximum?: number };
  return [...new Set(near)].filter((value) => value >= minimum && value <= maximum);
}

function schemaOf(name: string): JsonObject {
  const settingSchema = (settingsShape.schema['properties'] as Readonly<Record<string, Json>>)[name];
  const [ownSchema] = (isObject(settingSchema) ? ((settingSchema as JsonObject)['anyOf'] as readonly Json[] | undefined) : undefined) ?? [];
  return isObject(ownSchema) ? (ownSchema as JsonObject) : {};
}

/**
 * Reads `--try NAME=ONE,TWO`: a setting by its own name or as setting/NAME, a path inside one with dots, any other component by its name.
 */
export function readChoices(inputs: readonly string[], spec: AgentSpec, cwd: string): Choices {
  const match: Record<string, readonly Json[]> = {};
  for (const text of inputs) {
    const cut = text.indexOf('=');
    if (cut < 1) throw new Fault('input', `--try: expected NAME=VALUE,VALUE, such as temperature=0,0.7, got "${text}".`);
    const name = choiceName(text.slice(0, cut), spec);
    match[name] = [...(match[name] ?? []), ...valuesOf(name, text.slice(cut + 1), cwd)];
  }
  return match;
}

const teamSettingNames = Object.keys(teamShape.schema['properties'] as JsonObject);

function choiceName(word: string, spec: AgentSpec): string {
  const components = Object.keys(componentsOf(spec));
  const [first = word] = word.split('.');
  if (components.includes(first) || ['instruction', 'model', 'notes', 'tools'].includes(first)) return word;
  const ofKind = isLanguageKind(spec.kind) ? settingNames : spec.kind === 'team' ? teamSettingNames : [];
  const settings = [...new Set([...ofKind, ...Object.keys(spec.settings ?? {})])];
  const setting = first.replace(/^setting\//, '');
  if (settings.includes(setting)) return word.startsWith('setting/') ? word : `setting/${word}`;
  const knownNames = [...new Set([...components, 'model', 'tools', 'notes', ...settings.map((setting) => `setting/${setting}`)])];
  throw new Fault('input', `${spec.name} has no component "${first}" to try values of.${didYouMean(first, [...knownNames, ...settings])}`, {
    code: 'E_UNKNOWN_NAME',
  });
}

/** Values are separated by commas outside of brackets and quotation marks; @FILE means the content of a file. */
function valuesOf(name: string, text: string, cwd: string): readonly Json[] {
  const parts: string[] = [];
  let [depth, from, quoted] = [0, 0, false];
  for (const [i, letter] of [...text].entries()) {
    if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === '[' || letter === '{')) depth++;
    else if (!quoted && (letter === ']' || letter === '}')) depth--;
    else if (letter === ',' && depth === 0 && !quoted) {
      parts.push([...text].slice(from, i).join(''));
      from = i + 1;
    }
  }
  parts.push([...text].slice(from).join(''));
  const values = parts.map((part) => readValue(name, part.trim(), cwd));
  if (values.some((value) => value === '')) throw new Fault('input', `--try ${name} has an empty value. Write ${name}=VALUE,VALUE.`);
  return values;
}

function readValue(name: string, text: string, cwd: string): Json {
  if (text.startsWith('@')) return fileText(text.slice(1), cwd);
  const isText = !isJson(componentOfChoice(name));
  if (isText && !text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function fileText(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8').trimEnd();
  } catch (thrown) {
    throw new Fault('input', `The value @${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}
