/** @file Plain JSON: the only kind of data that crosses a boundary, is logged, hashed or frozen. */

import { Fault } from './fault.ts';
import { sha256 } from './sha256.ts';

/** Plain JSON data. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** JSON text with sorted keys: equal values give equal text, whatever order they were built in. */
export function canonical(value: Json): string {
  if (typeof value === 'string') return value.length < 40 && needsNoEscape.test(value) ? `"${value}"` : JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (value === null || typeof value !== 'object') return plainScalar(value, '$');
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonical(item)}`;
    return `[${text}]`;
  }
  const object = value as JsonObject;
  const keys = Object.keys(object);
  if (keys.length === 0) return '{}';
  const { sorted, leads } = keyOrderOf(keys);
  for (let i = 0; i < sorted.length; i++) text += `${leads[i]}${canonical(object[sorted[i]!]!)}`;
  return `${text}}`;
}

const needsNoEscape = /^[ !#-[\]-~]*$/;

/** How an object with these keys is written: the sorted keys, and the text before each value. */
interface KeyOrder {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  readonly leads: readonly string[];
}

/** Documents repeat objects with the same keys, so the last order is cached in each slot; another one replaces it. */
const keyOrders = new Array<KeyOrder | undefined>(256).fill(undefined);
const mostKeptKeys = 32;

function keyOrderOf(keys: readonly string[]): KeyOrder {
  const { length } = keys;
  const place = (length * 31 + keys[0]!.length * 7 + keys[length - 1]!.length) % keyOrders.length;
  const keyOrder = keyOrders[place];
  if (keyOrder !== undefined && hasKeys(keyOrder, keys)) return keyOrder;
  const sorted = keys.toSorted();
  const order = { keys, sorted, leads: sorted.map((key, i) => `${i === 0 ? '{' : ','}${quoteKey(key)}:`) };
  if (length <= mostKeptKeys) keyOrders[place] = order;
  return order;
}

function hasKeys({ keys }: KeyOrder, others: readonly string[]): boolean {
  if (keys.length !== others.length) return false;
  for (let i = 0; i < keys.length; i++) if (keys[i] !== others[i]) return false;
  return true;
}

const names = new Map<string, string>();

/** A key as JSON text. Documents repeat the same few keys, so these are cached. */
export function quoteKey(key: string): string {
  const name = names.get(key);
  if (name !== undefined) return name;
  const text = JSON.stringify(key);
  if (names.size < 5000 && key.length < 100) names.set(key, text);
  return text;
}

/** SHA-256 of the canonical text, in hex: the content address of a value. */
export function hash(value: Json): string {
  return sha256(canonical(value));
}

/** Structural equality of plain data; key order does not matter. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) if (!Object.hasOwn(right, key) || !equal(left[key], right[key])) return false;
  return true;
}

/** Deep-freezes plain data, and rejects any other value with its position. Frozen values are trusted. */
export function freeze<T>(value: T, path = '$'): T {
  if (value === null || typeof value !== 'object') {
    plainScalar(value, path);
    return value;
  }
  if (Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    // An index loop, because forEach would skip the holes that must be rejected.
    for (let i = 0; i < value.length; i++) freeze(value[i], `${path}[${i}]`);
  } else {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw notPlain(path, `a ${value.constructor?.name ?? 'class instance'}`);
    if (Object.getOwnPropertySymbols(value).length > 0) throw notPlain(path, 'an object with symbol keys');
    for (const key of Object.keys(value)) freeze((value as Record<string, unknown>)[key], `${path}.${key}`);
  }
  return Object.freeze(value);
}

function plainScalar(value: unknown, path: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return JSON.stringify(value);
    throw notPlain(path, String(value));
  }
  throw notPlain(path, value === undefined ? 'undefined' : `a ${typeof value}`);
}

function notPlain(path: string, match: string): Fault {
  return new Fault(
    'input',
    `Expected plain JSON at ${path}, but got ${match}. Use only null, booleans, finite numbers, strings, arrays, and plain objects.`,
  );
}

/** True for a JSON object, but not for a list or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An empty record for keys that are data: the seats of a population, the numbers of orders. It is a hash table from the start. A literal
 * gets a hidden class for every new key, up to a thousand, and keeps them if other records have the same keys.
 */
export function emptyRecord<T>(): Record<string, T> {
  return Object.setPrototypeOf(Object.create(null), Object.prototype) as Record<string, T>;
}

/** Up to this many keys, a literal is fast; beyond that, a hash table is better. */
export const mostLiteralKeys = 16;

/** A record with a value for each key. With some hundred keys, `Object.fromEntries` takes quadratic time. */
export function recordOf<T>(keys: readonly string[], make: (key: string, index: number) => T): Record<string, T> {
  const record: Record<string, T> = keys.length > mostLiteralKeys ? emptyRecord() : {};
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const value = make(key, i);
    // Assigning this key would set the prototype.
    if (key === '__proto__') Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
    else record[key] = value;
  }
  return record;
}

/** A value for a message: whole if short, otherwise cut. */
export function brief(value: Json | undefined): string {
  const written = value === undefined ? 'nothing' : JSON.stringify(value);
  return written.length > 60 ? `${written.slice(0, 60)}…` : written;
}

/** Converts an external value to text. `String` would call the object's toString, which may not be a function. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}

/** Converts an external value to a number; NaN if it is not one. */
export function plainNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
