/** @file Shapes: the form of a document as data, so that one declaration reads it, fills defaults, names each problem and prints JSON Schema. */

import type { Json, JsonObject } from '../core/index.ts';
import { brief, isObject } from '../core/json.ts';

export interface Shape<T> {
  /** What is expected here, as it reads after "must be". */
  readonly wanted: string;
  readonly schema: JsonObject;
  /** The value with defaults filled in. What is wrong is added to `problems` with its path; the result then means nothing. */
  read(value: Json, path: string, problems: string[]): T;
}

/** A property of an object: its shape, and its default where it is missing (none, for an optional one). */
export interface Field<T> {
  readonly shape: Shape<T>;
  readonly need: 'required' | 'optional' | 'defaulted';
  readonly otherwise?: Json;
}

export const required = <T>(shape: Shape<T>): Field<T> => ({ shape, need: 'required' });
export const optional = <T>(shape: Shape<T>): Field<T> => ({ shape, need: 'optional' });
export const or = <T>(shape: Shape<T>, otherwise: Json): Field<T> => ({ shape, need: 'defaulted', otherwise });

/** A leaf: a test and the words for it. */
function leaf<T>(wanted: string, schema: JsonObject, fits: (value: Json) => boolean): Shape<T> {
  return {
    wanted,
    schema,
    read(value, path, problems) {
      if (!fits(value)) problems.push(`${path} must be ${wanted}, but came as ${brief(value)}`);
      return value as T;
    },
  };
}

export const text: Shape<string> = leaf('a text', { type: 'string' }, (value) => typeof value === 'string');
export const words: Shape<string> = leaf(
  'a text that is not empty',
  { type: 'string', minLength: 1 },
  (value) => typeof value === 'string' && value.trim() !== '',
);
export const yesno: Shape<boolean> = leaf('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean');
export const anything: Shape<Json> = leaf('plain JSON', {}, () => true);

export function number(from: number, to: number): Shape<number> {
  const range = to < Number.MAX_VALUE ? ` from ${from} to ${to}` : from > -Number.MAX_VALUE ? ` of ${from} or more` : '';
  return leaf(
    `a number${range}`,
    { type: 'number', minimum: from, maximum: to },
    (value) => typeof value === 'number' && value >= from && value <= to,
  );
}

export function one<const N extends string | number>(...names: readonly N[]): Shape<N> {
  return leaf(`one of ${names.map((name) => JSON.stringify(name)).join(', ')}`, { enum: names }, (value) => names.includes(value as N));
}

export function pattern(wanted: string, form: RegExp): Shape<string> {
  return leaf(wanted, { type: 'string', pattern: form.source }, (value) => typeof value === 'string' && form.test(value));
}

export function list<T>(of: Shape<T>, length?: number): Shape<readonly T[]> {
  const bounds = length === undefined ? {} : { minItems: length, maxItems: length };
  const wanted = length === undefined ? 'a list' : `a list of ${length}`;
  return {
    wanted,
    schema: { type: 'array', items: of.schema, ...bounds },
    read(value, path, problems) {
      if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
        problems.push(`${path} must be ${wanted}, but came as ${brief(value)}`);
        return [];
      }
      return value.map((item: Json, i) => of.read(item, `${path}[${i}]`, problems));
    },
  };
}

export function record<T>(of: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    wanted: 'an object',
    schema: { type: 'object', additionalProperties: of.schema },
    read(value, path, problems) {
      if (!isObject(value)) {
        problems.push(`${path} must be an object, but came as ${brief(value)}`);
        return {};
      }
      // fromEntries defines properties, so a key named __proto__ from outside stays a key.
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, of.read(item, `${path}.${key}`, problems)]));
    },
  };
}

/** An object with exactly these properties. Unknown ones are refused: what a document does not know belongs under an extension. */
export function object<T extends object>(
  fields: { readonly [K in keyof T]-?: Field<Exclude<T[K], undefined>> },
  called = 'a persona',
): Shape<T> {
  const known = Object.entries(fields) as [string, Field<unknown>][];
  const properties = Object.fromEntries(
    known.map(([name, field]) => [
      name,
      field.otherwise === undefined ? field.shape.schema : { ...field.shape.schema, default: field.otherwise },
    ]),
  );
  const needed = known.filter(([, field]) => field.need === 'required').map(([name]) => name);
  return {
    wanted: 'an object',
    schema: { type: 'object', properties, additionalProperties: false, ...(needed.length > 0 ? { required: needed } : {}) },
    read(value, path, problems) {
      if (!isObject(value)) {
        problems.push(`${path} must be an object, but came as ${brief(value)}`);
        return {} as T;
      }
      for (const name of Object.keys(value))
        if (!Object.hasOwn(fields, name)) problems.push(`${at(path, name)} is not known; ${path || called} has ${list3(known)}`);
      const out: Record<string, unknown> = {};
      for (const [name, field] of known) {
        const given = Object.hasOwn(value, name) ? value[name] : undefined;
        if (given !== undefined) out[name] = field.shape.read(given, at(path, name), problems);
        else if (field.need === 'required') problems.push(`${at(path, name)} is missing; it must be ${field.shape.wanted}`);
        else if (field.need === 'defaulted') out[name] = field.shape.read(field.otherwise as Json, at(path, name), problems);
      }
      return out as T;
    },
  };
}

/** The first of several shapes that fits. */
export function either<T>(wanted: string, ...shapes: readonly Shape<T>[]): Shape<T> {
  return {
    wanted,
    schema: { anyOf: shapes.map((shape) => shape.schema) },
    read(value, path, problems) {
      for (const shape of shapes) {
        const found: string[] = [];
        const result = shape.read(value, path, found);
        if (found.length === 0) return result;
      }
      problems.push(`${path} must be ${wanted}, but came as ${brief(value)}`);
      return value as T;
    },
  };
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function list3(known: readonly (readonly [string, unknown])[]): string {
  const names = known.map(([name]) => name);
  return names.length > 8 ? `${names.slice(0, 8).join(', ')} …` : names.join(', ');
}
