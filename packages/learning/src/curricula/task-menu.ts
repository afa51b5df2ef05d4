/** @file The tasks that a curriculum chooses from: points in the space of an environment's parameters, with their coordinates. */

import { surfaceParameters } from '@ludus-agents/environments/internal/surface';
import type { AnyEnvironment, Json, JsonObject, Seed, TaskParameter } from '@ludus-agents/kernel/internal/core/index';
import { canonical, Fault, rng } from '@ludus-agents/kernel/internal/core/index';

export interface TaskMenu {
  readonly tasks: readonly Json[];
  /** Each task's parameters, from 0 to 1 within their ranges: for teachers that compare tasks. */
  readonly points: readonly (readonly number[])[];
}

export interface MenuRequest {
  /** The parameters that vary, optionally with their bounds; by default all numbers and choices. */
  readonly parameters?: Readonly<Record<string, readonly [number, number]>> | readonly string[];
  /** The part that all tasks share. */
  readonly task?: Json;
  /** The maximum number of tasks. */
  readonly count: number;
  readonly seed: Seed;
}

/** A varying parameter, with its values in order. */
interface TaskAxis {
  readonly name: string;
  readonly values: readonly Json[];
}

/** A range with more values than this is an identifier, not a degree. */
const mostValues = 1000;

/** The whole grid if it is small enough, else uniformly drawn points, without tasks that the environment refuses. */
export function taskMenu(environment: AnyEnvironment, { parameters, task = {}, count, seed }: MenuRequest): TaskMenu {
  const axes = axesOf(environment, parameters);
  const cells = axes.reduce((product, { values }) => product * values.length, 1);
  const indices = cells <= count ? grid(axes) : drawPoints(axes, count, seed);
  const visited = new Set<string>();
  const tasks: Json[] = [];
  const points: number[][] = [];
  for (const index of indices) {
    const ownEntry = Object.fromEntries(axes.map(({ name, values }, i) => [name, values[index[i]]]));
    const read = readable(environment, { ...(task as JsonObject), ...ownEntry });
    if (read === null || visited.has(canonical(read))) continue;
    visited.add(canonical(read));
    tasks.push(read);
    points.push(axes.map(({ values }, i) => index[i] / Math.max(1, values.length - 1)));
  }
  if (tasks.length < 2)
    throw new Fault(
      'input',
      `A curriculum needs at least two tasks, but ${environment.id} has ${tasks.length} with these parameters. Choose others.`,
    );
  return { tasks, points };
}

/** The varying parameters: the named ones, else all with a range or a list of values. */
export function axesOf(environment: AnyEnvironment, wanted: MenuRequest['parameters']): readonly TaskAxis[] {
  const knownParameters: Readonly<Record<string, TaskParameter>> = environment.parameters;
  const bounds: Readonly<Record<string, readonly [number, number]>> = Array.isArray(wanted) ? {} : ((wanted ?? {}) as never);
  const names =
    wanted === undefined
      ? Object.keys(knownParameters).filter((name) => name !== 'retries' && !surfaceParameters.includes(name))
      : Array.isArray(wanted)
        ? wanted
        : Object.keys(bounds);
  return names.flatMap((name: string): readonly TaskAxis[] => {
    const parameter = knownParameters[name];
    if (parameter === undefined)
      throw new Fault('input', `${environment.id} has no parameter "${name}". Available: ${Object.keys(knownParameters).join(', ')}.`, {
        code: 'E_UNKNOWN_NAME',
      });
    const values = valuesOf(parameter, bounds[name]);
    if (values !== null) return [{ name, values }];
    if (wanted === undefined) return [];
    throw new Fault(
      'input',
      `The parameter "${name}" of ${environment.id} has no range to vary. Set its bounds, or choose another parameter.`,
    );
  });
}

const steps = 21;

function valuesOf(parameter: TaskParameter, bounds: readonly [number, number] | undefined): readonly Json[] | null {
  if (parameter.kind === 'boolean') return [false, true];
  if (parameter.kind === 'choice') return parameter.options;
  if (parameter.kind !== 'integer' && parameter.kind !== 'number') return null;
  const [from, to] =
    bounds === undefined ? [parameter.min, parameter.max] : [Math.max(parameter.min, bounds[0]), Math.min(parameter.max, bounds[1])];
  if (parameter.kind === 'number') return Array.from({ length: steps }, (_, i) => from + ((to - from) * i) / (steps - 1));
  if (to - from > mostValues) return null;
  return Array.from({ length: Math.max(0, Math.floor(to) - Math.ceil(from) + 1) }, (_, i) => Math.ceil(from) + i);
}

function grid(axes: readonly TaskAxis[]): readonly (readonly number[])[] {
  return axes.reduce<readonly (readonly number[])[]>((rows, { values }) => rows.flatMap((row) => values.map((_, i) => [...row, i])), [[]]);
}

function drawPoints(axes: readonly TaskAxis[], count: number, seed: Seed): readonly (readonly number[])[] {
  const dice = rng(seed, 'task menu');
  return Array.from({ length: count }, () => axes.map(({ values }) => dice.int(values.length)));
}

function readable(environment: AnyEnvironment, task: Json): Json | null {
  try {
    return environment.task(task) as Json;
  } catch {
    return null;
  }
}
