/** @file Parameters of tasks as data, so that one declaration validates input, fills in defaults, and prints help. */

import { Fault } from './fault.ts';
import type { Json, JsonObject } from './json.ts';
import { didYouMean } from './suggest.ts';

export type TaskParameter =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number; readonly description: string }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly default: number; readonly description: string }
  | { readonly kind: 'boolean'; readonly default: boolean; readonly description: string }
  | { readonly kind: 'choice'; readonly options: readonly string[]; readonly default: string; readonly description: string }
  | { readonly kind: 'string'; readonly default: string; readonly description: string }
  | { readonly kind: 'json'; readonly default: Json; readonly description: string };

export type TaskParameters = Readonly<Record<string, TaskParameter>>;

/** The task described by a set of parameters. */
export type TaskOf<K extends TaskParameters> = {
  readonly [N in keyof K]: K[N] extends { readonly kind: 'integer' | 'number' }
    ? number
    : K[N] extends { readonly kind: 'boolean' }
      ? boolean
      : K[N] extends { readonly kind: 'choice'; readonly options: readonly (infer Name extends string)[] }
        ? Name
        : K[N] extends { readonly kind: 'string' }
          ? string
          : Json;
};

/** Declares one parameter of a task: its type, range, default, and description. */
export const parameter = {
  integer: <const A extends { min: number; max: number; default: number; description: string }>(a: A) =>
    ({ kind: 'integer', ...a }) as const,
  number: <const A extends { min: number; max: number; default: number; description: string }>(a: A) => ({ kind: 'number', ...a }) as const,
  boolean: <const A extends { default: boolean; description: string }>(a: A) => ({ kind: 'boolean', ...a }) as const,
  choice: <const A extends { options: readonly string[]; default: string; description: string }>(a: A) =>
    ({ kind: 'choice', ...a }) as const,
  string: <const A extends { default: string; description: string }>(a: A) => ({ kind: 'string', ...a }) as const,
  json: <const A extends { default: Json; description: string }>(a: A) => ({ kind: 'json', ...a }) as const,
};

/** Validates a task. Unknown parameters and values out of range throw a fault with the name and the expected value. */
export function readTask<const K extends TaskParameters>(environment: string, parameters: K, input: Json): TaskOf<K> {
  const taskInput = input ?? {};
  if (typeof taskInput !== 'object' || Array.isArray(taskInput))
    throw new Fault(
      'input',
      `${environment}: a task must be an object such as {"${Object.keys(parameters)[0] ?? ''}": …}, but got ${JSON.stringify(input)}.`,
      { code: 'E_INVALID_TASK', details: { environment } },
    );
  const task = taskInput as JsonObject;
  for (const name of Object.keys(task)) {
    if (!Object.hasOwn(parameters, name)) {
      const knownKeys = Object.keys(parameters);
      throw new Fault(
        'input',
        `${environment}: unknown parameter "${name}". ${knownKeys.length > 0 ? `Available: ${knownKeys.join(', ')}` : 'This environment has no parameters'}.${didYouMean(name, knownKeys)}`,
        { code: 'E_UNKNOWN_PARAMETER', details: { environment, name, known: knownKeys } },
      );
    }
  }
  const out: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(parameters)) {
    const value = task[name];
    if (value !== undefined && !fits(spec, value))
      throw new Fault(
        'input',
        `${environment}: "${name}" must be ${describeParameter(spec)}, but got ${JSON.stringify(value)}.${nearestOf(spec, value)}`,
        { code: 'E_INVALID_TASK', details: { environment, name, value } },
      );
    out[name] = value ?? spec.default;
  }
  return out as TaskOf<K>;
}

/** A parameter as JSON Schema, for servers and tools. */
export function schemaOf(parameters: TaskParameters): JsonObject {
  const properties: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(parameters)) {
    const common = { description: spec.description, default: spec.default };
    if (spec.kind === 'integer') properties[name] = { type: 'integer', minimum: spec.min, maximum: spec.max, ...common };
    else if (spec.kind === 'number') properties[name] = { type: 'number', minimum: spec.min, maximum: spec.max, ...common };
    else if (spec.kind === 'boolean') properties[name] = { type: 'boolean', ...common };
    else if (spec.kind === 'choice') properties[name] = { type: 'string', enum: spec.options, ...common };
    else if (spec.kind === 'string') properties[name] = { type: 'string', ...common };
    else properties[name] = common;
  }
  return { type: 'object', properties, additionalProperties: false };
}

function fits(spec: TaskParameter, value: Json): boolean {
  if (spec.kind === 'integer') return Number.isInteger(value) && (value as number) >= spec.min && (value as number) <= spec.max;
  if (spec.kind === 'number') return typeof value === 'number' && value >= spec.min && value <= spec.max;
  if (spec.kind === 'boolean') return typeof value === 'boolean';
  if (spec.kind === 'choice') return typeof value === 'string' && spec.options.includes(value);
  if (spec.kind === 'string') return typeof value === 'string';
  return true;
}

function nearestOf(spec: TaskParameter, value: Json): string {
  return spec.kind === 'choice' && typeof value === 'string' ? didYouMean(value, spec.options) : '';
}

function describeParameter(spec: TaskParameter): string {
  if (spec.kind === 'integer') return `an integer from ${spec.min} to ${spec.max}`;
  if (spec.kind === 'number') return `a number from ${spec.min} to ${spec.max}`;
  if (spec.kind === 'boolean') return 'true or false';
  if (spec.kind === 'choice') return `one of ${spec.options.map((name) => `"${name}"`).join(', ')}`;
  if (spec.kind === 'string') return 'a string';
  return 'plain JSON';
}
