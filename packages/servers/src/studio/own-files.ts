/** @file Lists the files in the user's folder that can be selected by path, each with its version. Nothing is executed. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { type OwnPersona, ownPersonas } from '@ludus-agents/agents/internal/workspace/user-documents';
import { isObject, type Json, type Kind } from '@ludus-agents/kernel/internal/core/index';
import type { NamedChoice } from './api-launch.ts';

/** By kind: suites include tables of cases and desks. */
type OwnFiles = Readonly<Record<keyof typeof nouns, readonly NamedChoice[]>>;

const nouns = {
  environments: 'environment',
  agents: 'agent',
  suites: 'suite',
  recipes: 'recipe',
  populations: 'population',
  scenes: 'scene',
  personas: 'persona',
} as const;

/** The maximum number of entries that are examined. */
const most = 500;
const largest = 1_000_000;

/** Files and folders directly in the working folder. Programs are recognized by their text, without loading them. */
export function ownFiles(cwd: string): OwnFiles {
  const match = Object.fromEntries(Object.keys(nouns).map((kind) => [kind, []])) as unknown as Record<keyof OwnFiles, NamedChoice[]>;
  for (const entry of readdirSync(cwd, { withFileTypes: true }).slice(0, most)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const [path, name] = [join(cwd, entry.name), `./${entry.name}`];
    if (entry.isDirectory()) {
      const desk = ['desk.json', 'policy.md'].map((file) => join(path, file)).find((file) => existsSync(file));
      if (desk !== undefined) match.suites.push({ name, about: `your desk, version ${versionOf(desk)}` });
    } else if (entry.isFile() && /\.(json|csv|[cm]?[jt]s)$/.test(entry.name) && statSync(path).size <= largest) {
      const text = readFileSync(path, 'utf8');
      const kind = kindOf(text, entry.name);
      if (kind !== null) match[kind].push({ name, about: `your ${nouns[kind]}, version ${versionOf(path)}` });
      else if (isBot(text, entry.name)) match.agents.push({ name: `bot:${name}`, about: `your bot, version ${versionOf(path)}` });
    }
  }
  return match;
}

/** A document of the folder by its name in `ownFiles`; null for other names. */
export function ownDocument(cwd: string, kind: 'scenes' | 'personas', name: string): Json | null {
  if (!name.startsWith('./') || !ownFiles(cwd)[kind].some((file) => file.name === name)) return null;
  return JSON.parse(readFileSync(join(cwd, name), 'utf8')) as Json;
}

/** The user's characters: those saved in the studio, then files of the folder. */
export function listOwnPersonas(cwd: string): readonly OwnPersona[] {
  return ownPersonas(
    cwd,
    ownFiles(cwd).personas.map(({ name }) => name),
  );
}

function kindOf(text: string, name: string): keyof OwnFiles | null {
  if (name.endsWith('.csv')) return isCases(text) ? 'suites' : null;
  if (!name.endsWith('.json')) return name.includes('.test.') ? null : programKind(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  // Documents written by "ludus new" name their schema.
  const schema = basename(String(value['$schema'] ?? ''), '.json');
  const [kind] = Object.entries(nouns).find(([, name]) => name === schema) ?? [];
  if (kind !== undefined) return kind as keyof OwnFiles;
  if (Array.isArray(value['scenes']) || ('policy' in value && 'tasks' in value)) return 'suites';
  if (Array.isArray(value['characters']) && 'setting' in value) return 'scenes';
  if (isObject(value['attributes'])) return 'populations';
  if (value['schema'] === 'persona/1') return 'personas';
  if (typeof value['name'] !== 'string' || 'schema' in value) return null;
  return typeof value['kind'] === 'string' ? 'agents' : typeof value['base'] === 'string' ? 'recipes' : null;
}

/** The kinds of a program's exports, by the types and functions that it imports from Ludus. */
function programKind(text: string): keyof OwnFiles | null {
  if (!/^export /m.test(text)) return null;
  if (/\bdefineEnvironment\(/.test(text) || (/\bEnvironment\b/.test(text) && /\bstep\b/.test(text))) return 'environments';
  return /^export const [\w$]+: Agent\b/m.test(text) ? 'agents' : null;
}

/** Whether a program exports a function that answers messages. */
function isBot(text: string, name: string): boolean {
  if (name.endsWith('.json') || name.endsWith('.csv') || name.includes('.test.') || !/\bmessages\b/.test(text)) return false;
  return /^export (?:default (?:async )?(?:function\b|\()|(?:const|function|async function) bot\b)/m.test(text);
}

/** Whether the first line of a table names a column of inputs, as `ludus eval` expects. */
function isCases(text: string): boolean {
  const columns = (text.split('\n', 1)[0] ?? '').split(',').map((column) => column.trim().replaceAll('"', ''));
  // The codebook of a survey also has questions.
  return ['input', 'question', 'prompt'].some((name) => columns.includes(name)) && !columns.includes('variable');
}

/** The first letters of a file's hash, used as its version. */
function versionOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 6);
}

/** An entry of the configuration with its file and version. */
export async function ownEntry(kind: Kind, name: string, cwd: string): Promise<NamedChoice> {
  const file = (await readConfigIn(cwd)).kinds?.[kind.name]?.[name] ?? '';
  const path = join(cwd, file.split('#', 1)[0] ?? '');
  const version = existsSync(path) && statSync(path).isFile() ? `, version ${versionOf(path)}` : '';
  return { name, about: `yours, in ${file}${version}` };
}
