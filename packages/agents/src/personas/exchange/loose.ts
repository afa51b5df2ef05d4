/** @file Tolerant parsing of foreign documents: a value of the wrong type counts as missing, and text is extracted from any structure. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** A text, a number converted to text, or undefined; empty texts count as missing. */
export function textIn(value: Json | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The texts of a list, or of a single text. */
export function textsIn(value: Json | undefined): readonly string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.map(textIn).filter((text) => text !== undefined);
}

export function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function flagIn(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The first of several properties that is a text. */
export function firstText(object: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textIn(object[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without its undefined properties. */
export function present<T extends object>(object: T): Partial<Present<T>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<Present<T>>;
}

/** A bullet, a bracket, or bold type may precede the mark, which may include a name or a note: "* **Ann's secret** (never told): …". */
const secretMark = linear(
  /^[\s>*•\-[("_]*(?:(?:\{\{char\}\}|[\p{L}.]+)(?:'s|’s)\s+|(?:deep|dark|big|hidden)\s+)*secrets?[\s"_*]*(?:\([^)]*\)[\s_*]*)?[:=：]\s*["_*]*/iu,
);

/** Formats without a field for secrets store them in a marked line; the same mark is recognized on import. */
export function secretLine(text: string): string {
  return `Secret: ${text}`;
}

/** The secret in a marked line, or undefined. */
export function secretIn(line: string): string | undefined {
  const rest = line.replace(secretMark, '');
  if (rest === line || rest.trim() === '') return undefined;
  const isClosed = /^[\s>*•-]*[[("]/.test(line) && /[\])"]$/.test(rest.trim());
  return isClosed ? rest.trim().slice(0, -1) : rest;
}

const hint = /\b(?:secret(?:ly|s)?|hidden truth|hides the fact|nobody (?:must )?know|no one (?:must )?know|must never (?:be )?know)/i;

/** Whether an unmarked text mentions something hidden, so that the author can be warned that it stays public. */
export function soundsSecret(text: string): boolean {
  return hint.test(text);
}
