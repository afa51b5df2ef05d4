/** @file Knobs: a task's parameters as data, so that one declaration checks input, fills defaults and prints help. */

import { Fault } from './fault.ts';
import type { Json, JsonObject } from './json.ts';
import { didYouMean } from './suggest.ts';

export type Knob =
  | { readonly kind: 'whole'; readonly from: number; readonly to: number; readonly otherwise: number; readonly about: string }
  | { readonly kind: 'number'; readonly from: number; readonly to: number; readonly otherwise: number; readonly about: string }
  | { readonly kind: 'yesno'; readonly otherwise: boolean; readonly about: string }
  | { readonly kind: 'one'; readonly of: readonly string[]; readonly otherwise: string; readonly about: string }
  | { readonly kind: 'text'; readonly otherwise: string; readonly about: string }
  | { readonly kind: 'data'; readonly otherwise: Json; readonly about: string };

export type Knobs = Readonly<Record<string, Knob>>;

/** The task that a set of knobs describes. */
export type TaskOf<K extends Knobs> = {
  readonly [N in keyof K]: K[N] extends { readonly kind: 'whole' | 'number' }
    ? number
    : K[N] extends { readonly kind: 'yesno' }
      ? boolean
      : K[N] extends { readonly kind: 'one'; readonly of: readonly (infer Name extends string)[] }
        ? Name
        : K[N] extends { readonly kind: 'text' }
          ? string
          : Json;
};

/** Declares one parameter of a task: its type, range, default, and description. */
export const knob = {
  whole: <const A extends { from: number; to: number; otherwise: number; about: string }>(a: A) => ({ kind: 'whole', ...a }) as const,
  number: <const A extends { from: number; to: number; otherwise: number; about: string }>(a: A) => ({ kind: 'number', ...a }) as const,
  yesno: <const A extends { otherwise: boolean; about: string }>(a: A) => ({ kind: 'yesno', ...a }) as const,
  one: <const A extends { of: readonly string[]; otherwise: string; about: string }>(a: A) => ({ kind: 'one', ...a }) as const,
  text: <const A extends { otherwise: string; about: string }>(a: A) => ({ kind: 'text', ...a }) as const,
  data: <const A extends { otherwise: Json; about: string }>(a: A) => ({ kind: 'data', ...a }) as const,
};

/** Reads a task from outside: unknown knobs and values out of range are refused with the name and what was expected. */
export function readTask<const K extends Knobs>(environment: string, knobs: K, input: Json): TaskOf<K> {
  const taskInput = input ?? {};
  if (typeof taskInput !== 'object' || Array.isArray(taskInput))
    throw new Fault(
      'input',
      `${environment}: a task must be an object such as {"${Object.keys(knobs)[0] ?? ''}": …}, but got ${JSON.stringify(input)}.`,
      { code: 'E_INVALID_TASK', details: { environment } },
    );
  const task = taskInput as JsonObject;
  for (const name of Object.keys(task)) {
    if (!Object.hasOwn(knobs, name)) {
      const knownKeys = Object.keys(knobs);
      throw new Fault(
        'input',
        `${environment}: unknown parameter "${name}". ${knownKeys.length > 0 ? `Available: ${knownKeys.join(', ')}` : 'This environment has no parameters'}.${didYouMean(name, knownKeys)}`,
        { code: 'E_UNKNOWN_PARAMETER', details: { environment, name, known: knownKeys } },
      );
    }
  }
  const out: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(knobs)) {
    const value = task[name];
    if (value !== undefined && !fits(spec, value))
      throw new Fault(
        'input',
        `${environment}: "${name}" must be ${describeKnob(spec)}, but got ${JSON.stringify(value)}.${nearestOf(spec, value)}`,
        { code: 'E_INVALID_TASK', details: { environment, name, value } },
      );
    out[name] = value ?? spec.otherwise;
  }
  return out as TaskOf<K>;
}

/** A knob as JSON Schema, for servers and tools that ask. */
export function schemaOf(knobs: Knobs): JsonObject {
  const properties: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(knobs)) {
    const common = { description: spec.about, default: spec.otherwise };
    if (spec.kind === 'whole') properties[name] = { type: 'integer', minimum: spec.from, maximum: spec.to, ...common };
    else if (spec.kind === 'number') properties[name] = { type: 'number', minimum: spec.from, maximum: spec.to, ...common };
    else if (spec.kind === 'yesno') properties[name] = { type: 'boolean', ...common };
    else if (spec.kind === 'one') properties[name] = { type: 'string', enum: spec.of, ...common };
    else if (spec.kind === 'text') properties[name] = { type: 'string', ...common };
    else properties[name] = common;
  }
  return { type: 'object', properties, additionalProperties: false };
}

function fits(spec: Knob, value: Json): boolean {
  if (spec.kind === 'whole') return Number.isInteger(value) && (value as number) >= spec.from && (value as number) <= spec.to;
  if (spec.kind === 'number') return typeof value === 'number' && value >= spec.from && value <= spec.to;
  if (spec.kind === 'yesno') return typeof value === 'boolean';
  if (spec.kind === 'one') return typeof value === 'string' && spec.of.includes(value);
  if (spec.kind === 'text') return typeof value === 'string';
  return true;
}

function nearestOf(spec: Knob, value: Json): string {
  return spec.kind === 'one' && typeof value === 'string' ? didYouMean(value, spec.of) : '';
}

function describeKnob(spec: Knob): string {
  if (spec.kind === 'whole') return `an integer from ${spec.from} to ${spec.to}`;
  if (spec.kind === 'number') return `a number from ${spec.from} to ${spec.to}`;
  if (spec.kind === 'yesno') return 'true or false';
  if (spec.kind === 'one') return `one of ${spec.of.map((name) => `"${name}"`).join(', ')}`;
  if (spec.kind === 'text') return 'a string';
  return 'plain JSON';
}
