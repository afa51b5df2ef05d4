/**
 * @file Values of the small language. Objects are maps and functions are wrapper objects, so programs cannot reach the host through them.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { SyntaxStatement } from './syntax.ts';
import { ScriptFailure } from './tokens.ts';

export type Value = number | string | boolean | null | undefined | Value[] | ScriptObject | Closure | Native;

/** An object of a program. */
export class ScriptObject {
  readonly entries: Map<string, Value>;
  constructor(entries: Iterable<readonly [string, Value]> = []) {
    this.entries = new Map(entries);
  }
}

export class Closure {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly SyntaxStatement[];
  readonly scope: Scope;
  constructor(name: string, parameters: readonly string[], body: readonly SyntaxStatement[], scope: Scope) {
    this.name = name;
    this.parameters = parameters;
    this.body = body;
    this.scope = scope;
  }
}

/** A built-in function of the language. */
export class Native {
  readonly call: (inputs: readonly Value[]) => Value;
  constructor(call: (inputs: readonly Value[]) => Value) {
    this.call = call;
  }
}

interface Variable {
  value: Value;
  readonly constant: boolean;
}

export class Scope {
  readonly #variables = new Map<string, Variable>();
  readonly #outer: Scope | null;
  constructor(outer: Scope | null) {
    this.#outer = outer;
  }

  declare(name: string, value: Value, constant = false): void {
    this.#variables.set(name, { value, constant });
  }

  find(name: string): Variable {
    for (let scope: Scope | null = this; scope !== null; scope = scope.#outer) {
      const variable = scope.#variables.get(name);
      if (variable !== undefined) return variable;
    }
    throw new ScriptFailure('threw', `${name} is not defined`);
  }

  has(name: string): boolean {
    return this.#variables.has(name);
  }
}

export function isTrue(value: Value): boolean {
  return typeof value === 'object' ? value !== null : Boolean(value);
}

/** Returns whether a logical operator short-circuits after its left side. */
export function stopsAt(left: Value, sign: string): boolean {
  return sign === '&&' ? !isTrue(left) : sign === '||' ? isTrue(left) : left !== null && left !== undefined;
}

export function numberOf(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return Number(value);
  return Number.NaN;
}

const deepest = 60;
const largest = 100_000;

/** Throws if a value is too large or too deep. Parts may be shared or cyclic, so a value that is small to build can be endless to write. */
export function sizeOf(value: Value): void {
  let size = 0;
  const count = (value: Value, depth: number): void => {
    size += typeof value === 'string' ? value.length + 1 : 1;
    if (size > largest || depth > deepest) throw new ScriptFailure('size', 'The value is too large or too deep to be written down.');
    if (Array.isArray(value)) for (const item of value) count(item, depth + 1);
    else if (value instanceof ScriptObject)
      for (const [key, item] of value.entries) {
        count(key, depth + 1);
        count(item, depth + 1);
      }
  };
  count(value, 0);
}

export function textOf(value: Value): string {
  if (Array.isArray(value)) sizeOf(value);
  if (Array.isArray(value)) return value.map((item) => (item === null || item === undefined ? '' : textOf(item))).join(',');
  if (value instanceof ScriptObject) return '[object Object]';
  if (value instanceof Closure || value instanceof Native) return 'function';
  return String(value);
}

export function typeOf(value: Value): string {
  if (value instanceof Closure || value instanceof Native) return 'function';
  return value === null ? 'object' : typeof value;
}

/** Compares values as `toEqual` does in tests. */
export function same(a: Value, b: Value, depth = 0): boolean {
  if (depth === 0) for (const item of [a, b]) sizeOf(item);
  if (Object.is(a, b)) return true;
  if (depth > deepest) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i], depth + 1));
  if (a instanceof ScriptObject && b instanceof ScriptObject)
    return (
      a.entries.size === b.entries.size &&
      [...a.entries].every(([key, item]) => b.entries.has(key) && same(item, b.entries.get(key), depth + 1))
    );
  return false;
}

/** Converts plain data to a value. */
export function fromJson(json: Json): Value {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  return new ScriptObject(Object.entries(json).map(([key, item]) => [key, fromJson(item)] as const));
}

/** Converts a value to plain data. Values without an equivalent become null. */
export function toJson(value: Value, depth = 0): Json {
  if (depth === 0) sizeOf(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  if (value instanceof ScriptObject)
    return Object.fromEntries(
      [...value.entries].filter(([key]) => key !== '__proto__').map(([key, item]) => [key, toJson(item, depth + 1)]),
    );
  return null;
}

/** Formats a value for a sentence. */
export function formatValue(value: Value): string {
  if (value === undefined) return 'undefined';
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  return value instanceof Closure || value instanceof Native ? 'function' : JSON.stringify(toJson(value));
}
