/** @file Decorators: the `@@name value` lines at the head of a lorebook entry, with `@@@name value` lines as fallbacks for the one above. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export interface Decorators {
  readonly activate?: true;
  readonly dont_activate?: true;
  readonly activate_only_after?: number;
  readonly activate_only_every?: number;
  readonly keep_activate_after_match?: true;
  readonly dont_activate_after_match?: true;
  readonly depth?: number;
  readonly reverse_depth?: number;
  readonly role?: 'system' | 'user' | 'assistant';
  readonly scan_depth?: number;
  readonly is_greeting?: number;
  readonly position?: 'after_desc' | 'before_desc' | 'personality' | 'scenario';
  readonly ignore_on_max_context?: true;
  readonly additional_keys?: readonly string[];
  readonly exclude_keys?: readonly string[];
}

type Reader = (value: string) => unknown;

const number: Reader = (value) => (/^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined);
const flag: Reader = () => true;
const keys: Reader = (value) => {
  const matches = value
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return matches.length > 0 ? matches : undefined;
};
const among =
  (...names: readonly string[]): Reader =>
  (value) =>
    names.includes(value) ? value : undefined;

/** Each known decorator with the parser of its value. Those for plain completion (`instruct_…`) do not apply to a chat. */
const readers: Readonly<Record<keyof Decorators, Reader>> = {
  activate: flag,
  dont_activate: flag,
  activate_only_after: number,
  activate_only_every: number,
  keep_activate_after_match: flag,
  dont_activate_after_match: flag,
  depth: number,
  reverse_depth: number,
  role: among('system', 'user', 'assistant'),
  scan_depth: number,
  is_greeting: number,
  position: among('after_desc', 'before_desc', 'personality', 'scenario'),
  ignore_on_max_context: flag,
  additional_keys: keys,
  exclude_keys: keys,
};

/**
 * The effective decorators, and the content without any: the first of a name wins, but lists of keys are merged; unknown ones use their
 * fallback.
 */
export function parseDecorators(text: string): { readonly content: string; readonly decorators: Decorators } {
  if (!text.includes('@@')) return { content: text, decorators: {} };
  const decorators: Record<string, unknown> = {};
  const lines = text.split('\n');
  let settled = true;
  let next = 0;
  for (; next < lines.length; next++) {
    const line = lines[next]!.trim();
    if (line === '') continue;
    const match = linear(/^(@@@?)([a-z_]+)(?:\s+(.*))?$/).exec(line);
    if (match === null) break;
    if (match[1] === '@@') settled = false;
    if (!settled) settled = take(decorators, match[2]!, (match[3] ?? '').trim());
  }
  if (next === 0) return { content: text, decorators: {} };
  return { content: lines.slice(next).join('\n').trim(), decorators: decorators as Decorators };
}

/** Records a decorator. Returns false if it is unknown or its value is invalid, so that its fallback is tried. */
function take(match: Record<string, unknown>, name: string, value: string): boolean {
  if (!Object.hasOwn(readers, name)) return false;
  const read = readers[name as keyof Decorators](value);
  if (read === undefined) return false;
  const before = match[name];
  if (Array.isArray(before) && Array.isArray(read)) match[name] = [...before, ...read];
  else if (before === undefined) match[name] = read;
  return true;
}
