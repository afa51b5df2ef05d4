/**
 * @file Shapes: the format of external data as data. One declaration parses a document, fills in defaults, reports every problem with its
 * position, and produces JSON Schema.
 *
 * A schema describes what an author may write. A parser may reject more (two scenes with one name), never less.
 */

import { Fault } from './fault.ts';
import { formatGrouped } from './format.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { clausesOf, firstOf, hasNearField, misfit, type ShapeProblem } from './shape-problems.ts';

export { clausesOf, firstOf, type ShapeProblem };

export interface Shape<T> {
  /** The expected value, in words that follow "must be". */
  readonly wanted: string;
  readonly schema: JsonObject;
  /** The value with defaults filled in. Errors are added to `problems`; the result is then meaningless. */
  read(value: unknown, problems: ShapeProblem[]): T;
  /** The shape of a field in the given value. */
  inner?(name: string, value: unknown): Shape<unknown> | undefined;
}

/** The type of the values that a shape reads, so that a document is declared once: `type Point = ShapeValue<typeof point>`. */
export type ShapeValue<S extends Shape<unknown>> = ReturnType<S['read']>;

type Need = 'required' | 'optional' | 'defaulted';

/** A property of an object: its shape, and its default value (none for an optional one). */
export interface Field<T, N extends Need = Need> {
  readonly shape: Shape<T>;
  readonly need: N;
  /** A value, or a function of the other given fields. */
  readonly default?: Json | ((jsonObject: JsonObject) => Json);
  /** One line for editors. */
  readonly description?: string;
}

export type Fields<T> = { readonly [K in keyof T]-?: Field<Exclude<T[K], undefined>> };

/** Fields whose object type is inferred. */
export type AnyFields = Readonly<Record<string, Field<unknown>>>;

type OptionalNames<F extends AnyFields> = { [K in keyof F]: F[K]['need'] extends 'optional' ? K : never }[keyof F];

/** The object that fields describe. */
export type ObjectOf<F extends AnyFields> = {
  readonly [K in keyof F as Exclude<K, OptionalNames<F>>]: ShapeValue<F[K]['shape']>;
} & { readonly [K in keyof F as Extract<K, OptionalNames<F>>]?: ShapeValue<F[K]['shape']> } extends infer T
  ? { [K in keyof T]: T[K] }
  : never;

function field<T, N extends Need>(need: N, shape: Shape<T>, about: string | undefined): Field<T, N> {
  return about === undefined ? { shape, need } : { shape, need, description: about };
}

export const required = <T>(shape: Shape<T>, about?: string): Field<T, 'required'> => field('required', shape, about);
export const optional = <T>(shape: Shape<T>, about?: string): Field<T, 'optional'> => field('optional', shape, about);
export const withDefault = <T>(
  shape: Shape<T>,
  otherwise: Json | ((jsonObject: JsonObject) => Json),
  about?: string,
): Field<T, 'defaulted'> => ({ ...field('defaulted', shape, about), default: otherwise });

/** A leaf: a test and its description; the nearest of `names` is suggested for a misspelled value. */
export function leaf<T>(
  wanted: string,
  schema: JsonObject,
  fits: (value: unknown) => boolean,
  names: readonly (string | number)[] = [],
): Shape<T> {
  return {
    wanted,
    schema,
    read(value, problems) {
      if (!fits(value)) problems.push(misfit(wanted, value, names));
      return value as T;
    },
  };
}

export const text: Shape<string> = leaf('a string', { type: 'string' }, (value) => typeof value === 'string');
export const words: Shape<string> = leaf(
  'a non-empty string',
  { type: 'string', minLength: 1, pattern: '\\S' },
  (value) => typeof value === 'string' && value.trim() !== '',
);
export const boolean: Shape<boolean> = leaf('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean');
export const anything: Shape<Json> = leaf('plain JSON', {}, (value) => value !== undefined);

/** A number between two inclusive bounds. */
export function number(from = -Number.MAX_VALUE, to = Number.MAX_VALUE): Shape<number> {
  return leaf(
    `a number${between(from, to, Number.MAX_VALUE)}`,
    { type: 'number', ...bounds(from, to, Number.MAX_VALUE) },
    (value) => typeof value === 'number' && value >= from && value <= to,
  );
}

/** An integer between two inclusive bounds, always within the safe range of a double. */
export function whole(from = -Number.MAX_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER): Shape<number> {
  return leaf(
    `an integer${between(from, to, Number.MAX_SAFE_INTEGER)}`,
    { type: 'integer', minimum: from, maximum: to },
    (value) => Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to,
  );
}

/** A number above an exclusive bound. */
export function above(low: number, most = Number.MAX_VALUE): Shape<number> {
  return leaf(
    `a number above ${low}${most < Number.MAX_VALUE ? `, at most ${most}` : ''}`,
    { type: 'number', exclusiveMinimum: low, ...bounds(-Number.MAX_VALUE, most, Number.MAX_VALUE) },
    (value) => typeof value === 'number' && value > low && value <= most,
  );
}

export function one<const N extends string | number>(...names: readonly N[]): Shape<N> {
  const wanted = `one of ${names.map((name) => JSON.stringify(name)).join(', ')}`;
  return leaf(wanted, { enum: names }, (value) => names.includes(value as N), names);
}

export function pattern(wanted: string, form: RegExp): Shape<string> {
  return leaf(wanted, { type: 'string', pattern: form.source }, (value) => typeof value === 'string' && form.test(value));
}

/** The length of a list: an exact number, or a range. */
export type ListSize = number | { readonly from?: number; readonly to?: number };

export function list<T>(of: Shape<T>, size: ListSize = {}): Shape<readonly T[]> {
  const { from = 0, to = Infinity } = typeof size === 'number' ? { from: size, to: size } : size;
  const wanted = from === to ? `a list of ${from}` : from > 0 || to < Infinity ? `a list of ${from} ${upTo(to)}` : 'a list';
  const schema = { type: 'array', items: of.schema, ...(from > 0 && { minItems: from }), ...(to < Infinity && { maxItems: to }) };
  return {
    wanted,
    schema: schema as JsonObject,
    read(value, problems) {
      if (!Array.isArray(value) || value.length < from || value.length > to) {
        problems.push(misfit(wanted, value));
        return [];
      }
      const out = new Array<T>(value.length);
      for (let i = 0; i < value.length && problems.length < enough; i++) out[i] = readAt(of, value[i], i, problems);
      return out;
    },
  };
}

/** An object whose keys are chosen by the author. */
export function record<T>(of: Shape<T>, keys?: Shape<string>): Shape<Readonly<Record<string, T>>> {
  return {
    wanted: 'an object',
    schema: { type: 'object', additionalProperties: of.schema, ...(keys && { propertyNames: keys.schema }) },
    read(value, problems) {
      if (!isObject(value)) {
        problems.push(misfit('an object', value));
        return {};
      }
      const entries: [string, T][] = [];
      for (const key of Object.keys(value)) {
        if (problems.length >= enough) break;
        if (keys !== undefined) readAt(keys, key, key, problems);
        entries.push([key, readAt(of, value[key], key, problems)]);
      }
      // fromEntries defines properties, so a key named __proto__ from outside stays a key.
      return Object.fromEntries(entries);
    },
  };
}

export interface ObjectOptions {
  /** Other fields are kept without validation: for records that later versions may write. Otherwise they are rejected. */
  readonly open?: boolean;
  /** The object is a whole file: "$schema" names its schema for editors, and is dropped. */
  readonly document?: boolean;
  /** Fields known from other tools, with the place where their value belongs here. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

export function object<F extends AnyFields>(fields: F, options?: ObjectOptions): Shape<ObjectOf<F>>;
export function object<T extends object>(fields: Fields<T>, options?: ObjectOptions): Shape<T>;
export function object<T extends object>(
  fields: Fields<T>,
  { open = false, document = false, elsewhere = {} }: ObjectOptions = {},
): Shape<T> {
  const knownEntries = Object.entries(fields) as [string, Field<unknown>][];
  const names = knownEntries.map(([name]) => name);
  const needed = knownEntries.filter(([, { need }]) => need === 'required').map(([name]) => name);
  const properties = Object.fromEntries(knownEntries.map(([name, field]) => [name, propertySchema(field)]));
  return {
    wanted: 'an object',
    schema: {
      type: 'object',
      properties: document ? { $schema: schemaProperty, ...properties } : properties,
      ...(!open && { additionalProperties: false }),
      ...(needed.length > 0 && { required: needed }),
    },
    inner: (name) => (Object.hasOwn(fields, name) ? (fields as Readonly<Record<string, Field<unknown>>>)[name]?.shape : undefined),
    read(value, problems) {
      if (!isObject(value)) {
        problems.push(misfit('an object', value));
        return {} as T;
      }
      const out: Record<string, unknown> = open ? { ...value } : {};
      if (!open)
        for (const name of Object.keys(value))
          if (!Object.hasOwn(fields, name) && !(document && name === '$schema'))
            problems.push({ path: [name], says: 'unknown field', known: names, elsewhere: ownValue(elsewhere, name) });
      for (const [name, { shape, need, default: otherwise }] of knownEntries) {
        const input = Object.hasOwn(value, name) ? value[name] : undefined;
        if (input !== undefined) out[name] = readAt(shape, input, name, problems);
        else if (need === 'required') problems.push({ path: [name], says: `must be ${shape.wanted}, but is missing` });
        else if (need === 'defaulted')
          out[name] = readAt(shape, typeof otherwise === 'function' ? otherwise(value) : otherwise, name, problems);
      }
      return out as T;
    },
  };
}

function ownValue(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** A record with known keys, each optional. */
export function some<K extends string, T>(names: readonly K[], of: Shape<T>): Shape<{ readonly [N in K]?: T }> {
  return object(Object.fromEntries(names.map((name) => [name, optional(of)])) as Fields<{ readonly [N in K]?: T }>);
}

/** One of several objects, distinguished by the value of a tag field. */
export function choice<T extends object>(tag: string, variants: Readonly<Record<string, Shape<object>>>): Shape<T> {
  const tags = one(...Object.keys(variants));
  return {
    wanted: `an object whose ${tag} is ${tags.wanted}`,
    schema: { anyOf: Object.values(variants).map(({ schema }) => schema) },
    inner(name, value) {
      if (name === tag) return tags;
      const text = isObject(value) ? String(value[tag]) : '';
      return Object.hasOwn(variants, text) ? variants[text]?.inner?.(name, value) : undefined;
    },
    read(value, problems) {
      if (!isObject(value)) {
        problems.push(misfit(this.wanted, value));
        return {} as T;
      }
      const name = Object.hasOwn(value, tag) ? value[tag] : undefined;
      if (typeof name === 'string' && Object.hasOwn(variants, name)) return (variants[name] as Shape<T>).read(value, problems);
      problems.push({
        ...misfit(tags.wanted, name, Object.keys(variants)),
        path: [tag],
      });
      return {} as T;
    },
  };
}

/** The first of several shapes that matches. If only one has the right type, its inner error is reported. */
export function either<T>(wanted: string, ...shapes: readonly Shape<T>[]): Shape<T> {
  return {
    wanted,
    schema: { anyOf: shapes.map((shape) => shape.schema) },
    read(value, problems) {
      const inside: ShapeProblem[][] = [];
      const names: string[] = [];
      for (const shape of shapes) {
        const shapeProblems: ShapeProblem[] = [];
        const result = shape.read(value, shapeProblems);
        if (shapeProblems.length === 0) return result;
        if (shapeProblems.every(({ path }) => path.length > 0)) inside.push(shapeProblems);
        else names.push(...namesIn(shapeProblems));
      }
      // If several types fit, a nearly matching field shows which was meant.
      const meant = inside.length === 1 ? inside : inside.filter((shapeProblems) => shapeProblems.some(hasNearField));
      problems.push(...(meant.length === 1 ? meant[0]! : [misfit(wanted, value, names)]));
      return value as T;
    },
  };
}

/** A shape that also accepts null. */
export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return either<T | null>(
    `${shape.wanted}, or null`,
    shape as Shape<T | null>,
    leaf('null', { type: 'null' }, (value) => value === null),
  );
}

/** A shape with a better description of the expected value: an example, or its purpose. */
export function withWords<T>(wanted: string, shape: Shape<T>): Shape<T> {
  return {
    wanted,
    schema: shape.schema,
    read(value, problems) {
      const before = problems.length;
      const result = shape.read(value, problems);
      for (let i = before; i < problems.length; i++)
        if (problems[i]!.path.length === 0) problems[i] = misfit(wanted, value, namesIn([problems[i]!]));
      return result;
    },
  };
}

/** A shape whose value never appears in a message: a key written in place of its name is not shown on a screen. */
export function unshown<T>(shape: Shape<T>): Shape<T> {
  return {
    ...shape,
    read(value, problems) {
      const shapeProblems: ShapeProblem[] = [];
      const result = shape.read(value, shapeProblems);
      if (shapeProblems.length > 0) problems.push({ path: [], says: `must be ${shape.wanted}` });
      return result;
    },
  };
}

/** A shape with a rule that JSON Schema cannot express. */
export function withRule<T>(wanted: string, shape: Shape<T>, fits: (value: T) => boolean): Shape<T> {
  return {
    wanted,
    schema: shape.schema,
    read(value, problems) {
      const before = problems.length;
      const result = shape.read(value, problems);
      if (problems.length === before && !fits(result)) problems.push(misfit(wanted, value));
      return result;
    },
  };
}

/** A shape with a short form; `expand` leaves the full form unchanged. */
export function short<T>(shape: Shape<T>, written: JsonObject, expand: (value: unknown) => unknown): Shape<T> {
  return { ...shape, schema: { anyOf: [written, shape.schema] }, read: (value, problems) => shape.read(expand(value), problems) };
}

/** All problems of a value; empty if it is valid. */
export function problemsOf(shape: Shape<unknown>, value: unknown, called: string): readonly string[] {
  const problems: ShapeProblem[] = [];
  shape.read(value, problems);
  return clausesOf(problems, called);
}

/** Parses a value; throws one sentence that begins with its source. */
export function readAs<T>(shape: Shape<T>, value: unknown, { where, called }: { readonly where: string; readonly called: string }): T {
  const problems: ShapeProblem[] = [];
  const result = shape.read(value, problems);
  const [first] = problems;
  if (first === undefined) return result;
  const sentence = first.path.length === 0 ? clausesOf([first], where)[0] : `${where}: ${firstOf(clausesOf(problems, called))}`;
  throw new Fault('input', `${sentence}.`, {
    code: 'E_INVALID_DOCUMENT',
    details: { where, places: problems.map(({ path }) => path.join('.')) },
  });
}

/** Names for which the whole value may be a misspelling. */
function namesIn(problems: readonly ShapeProblem[]): readonly string[] {
  return problems.flatMap(({ path, slip }) => (path.length === 0 ? (slip?.names ?? []) : []));
}

/** At most this many problems are collected: a list of a million wrong items is one mistake. */
const enough = 100;

function readAt<T>(shape: Shape<T>, value: unknown, step: string | number, problems: ShapeProblem[]): T {
  const before = problems.length;
  const result = shape.read(value, problems);
  for (let i = before; i < problems.length; i++) problems[i]!.path.unshift(step);
  return result;
}

/** A property for editors, ignored by parsers. */
export const schemaProperty: JsonObject = { description: 'the schema of this file, for editors' };

function propertySchema({ shape, default: otherwise, description: about }: Field<unknown>): JsonObject {
  return {
    ...shape.schema,
    ...(about !== undefined && { description: about }),
    ...(otherwise !== undefined && typeof otherwise !== 'function' && { default: otherwise }),
  };
}

function between(from: number, to: number, widest: number): string {
  return to < widest ? ` from ${figure(from)} to ${figure(to)}` : from > -widest ? ` of ${figure(from)} or more` : '';
}

/** A formatted bound, with digits in groups of three. Does not use a locale, whose tables take a fifth of a command's startup time. */
function figure(value: number): string {
  return Number.isInteger(value) && Math.abs(value) >= 10_000 && Math.abs(value) < 1e15 ? formatGrouped(value) : String(value);
}

function bounds(from: number, to: number, widest: number): JsonObject {
  return { ...(from > -widest && { minimum: from }), ...(to < widest && { maximum: to }) } as JsonObject;
}

function upTo(to: number): string {
  return to < Infinity ? `to ${to}` : 'or more';
}
