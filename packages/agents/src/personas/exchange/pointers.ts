/**
 * @file Converts statements from any nested structure and back: each leaf text becomes a statement with its location as a JSON pointer.
 *
 * Foreign documents contain facts under unforeseen keys. Gathering converts all of them to statements; scattering writes the current
 * statements back to their locations.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Persona, PersonaFormat, Statement, StatementKind, Visibility } from '../persona.ts';
import { toSpokenKey } from '../prose.ts';
import { textIn } from './loose.ts';

type Said = Pick<Statement, 'id' | 'text' | 'kind' | 'source'> & { readonly visibility?: Visibility };

export interface FieldCollector {
  readonly format: PersonaFormat;
  readonly kind: StatementKind;
  readonly visibility?: Visibility;
  /** Applied to each text on import. */
  readonly say?: (text: string) => string;
}

/** Statements for every text at or below `value`, which is located at `path`. Keys below `path` become a prefix of their text. */
export function gather(value: Json | undefined, path: readonly string[], how: FieldCollector): readonly Said[] {
  const walk = (inner: Json | undefined, at: readonly string[], label: string): readonly Said[] => {
    if (Array.isArray(inner)) return inner.flatMap((item: Json, i) => walk(item, [...at, String(i)], label));
    if (isObject(inner))
      return Object.entries(inner).flatMap(([key, item]) =>
        walk(item, [...at, key], label === '' ? toSpokenKey(key) : `${label}, ${toSpokenKey(key)}`),
      );
    const text = textIn(inner);
    return text === undefined ? [] : [toSaid(how.say?.(text) ?? text, at, label)];
  };
  const toSaid = (text: string, at: readonly string[], label: string): Said => ({
    id: idOf(at),
    text: label === '' ? text : `${label}: ${text}`,
    kind: how.kind,
    source: `${how.format}#/${at.map(escapePointer).join('/')}`,
    ...(how.visibility === undefined ? {} : { visibility: how.visibility }),
  });
  return walk(value, path, '');
}

/** "persona", "beliefs", "0" → "beliefs.1". */
function idOf(path: readonly string[]): string {
  const ownItems = path[0] === 'persona' ? path.slice(1) : path;
  return ownItems.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part)).join('.');
}

/** The same statements with unique ids: different foreign keys may produce the same path. */
export function distinct<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  const used = new Set<string>();
  return items.map((item) => {
    let id = item.id;
    for (let n = 2; used.has(id); n++) id = `${item.id}~${n}`;
    used.add(id);
    return id === item.id ? item : { ...item, id };
  });
}

type Node = { readonly list: boolean; readonly children: Map<string, Node | string> };

/** Writes the statements imported from `format` back into their structure. Lists close gaps left by removed items. */
export function scatter(persona: Persona, format: PersonaFormat, say: (text: string) => string = (text) => text): JsonObject {
  const root: Node = { list: false, children: new Map() };
  for (const statement of persona.statements) {
    const path = pathOf(statement, format);
    if (path === null) continue;
    let node = root;
    for (let i = 0; i < path.length - 1; i++) node = childOf(node, path[i]!, /^\d+$/.test(path[i + 1]!));
    node.children.set(path.at(-1) as string, say(withoutLabel(statement.text, path)));
  }
  return buildJson(root) as JsonObject;
}

function childOf(node: Node, part: string, list: boolean): Node {
  const childNode = node.children.get(part);
  if (typeof childNode === 'object') return childNode;
  const result: Node = { list, children: new Map() };
  node.children.set(part, result);
  return result;
}

/** The pointer of a statement into a document of this format, or null. */
export function pathOf(statement: Statement, format: PersonaFormat): readonly string[] | null {
  const mark = `${format}#/`;
  if (!statement.source?.startsWith(mark)) return null;
  return statement.source
    .slice(mark.length)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Merges two plain structures: objects are merged, lists are concatenated, and otherwise the second wins. */
export function joinJson(a: Json | undefined, b: Json | undefined): Json {
  if (a === undefined) return b as Json;
  if (b === undefined) return a;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (!isObject(a) || !isObject(b)) return b;
  return Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key, joinJson(a[key], b[key])]));
}

function buildJson(node: Node | string): Json {
  if (typeof node === 'string') return node;
  if (node.list) return [...node.children.values()].map(buildJson);
  return Object.fromEntries([...node.children].map(([key, child]) => [key, buildJson(child)]));
}

/** The text without the keys that gathering added before it. */
function withoutLabel(text: string, path: readonly string[]): string {
  const keys = path.filter((part) => !/^\d+$/.test(part)).map(toSpokenKey);
  for (let i = 0; i < keys.length; i++) {
    const label = `${keys.slice(i).join(', ')}: `;
    if (text.startsWith(label)) return text.slice(label.length);
  }
  return text;
}

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
