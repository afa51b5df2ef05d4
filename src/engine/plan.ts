/** @file Reads plans from outside, and lays them out as cells whose episode ids follow from the plan alone. */

import {
  type AgentSpec,
  type AnyEnvironment,
  type Budget,
  type Cast,
  type Cell,
  canonical,
  equal,
  Fault,
  hash,
  type Json,
  type JsonObject,
  type Limits,
  type Plan,
  type Seat,
  type Seed,
} from '../core/index.ts';

const planFields = ['name', 'environments', 'seeds', 'casts', 'swap', 'limits', 'budget'];
const limitFields = ['turns', 'calls', 'tokens', 'money', 'seconds'];
const budgetFields = ['calls', 'tokens', 'money', 'seconds', 'episodes', 'failures'];
const specFields = ['name', 'kind', 'model', 'persona', 'texts', 'notes', 'tools', 'settings', 'parent'];

/**
 * Reads a plan from outside. Short forms are accepted: an environment may be its name, `seeds` a count, and without `casts` every seat
 * plays at random.
 */
export function readPlan(input: Json): Plan {
  const plan = fields(input, 'its top', planFields);
  const limits = plan['limits'] === undefined ? {} : { limits: amounts(plan['limits'], 'limits', limitFields) as Limits };
  const budget = plan['budget'] === undefined ? {} : { budget: amounts(plan['budget'], 'budget', budgetFields) as Budget };
  const { name, swap } = plan;
  if (name !== undefined && (typeof name !== 'string' || !/^[\w.:-]{1,80}$/.test(name)))
    throw wrong('name', 'up to 80 letters, digits, dots, colons or dashes', name);
  if (swap !== undefined && typeof swap !== 'boolean') throw wrong('swap', 'true or false', swap);
  return {
    ...(name === undefined ? {} : { name }),
    environments: list(plan['environments'], 'environments', 'a list like ["kuhn-poker"]').map(readScene),
    seeds: readSeeds(plan['seeds']),
    casts: plan['casts'] === undefined ? [{ '*': 'random' }] : list(plan['casts'], 'casts', 'a list like [{"*": "random"}]').map(readCast),
    ...(swap === undefined ? {} : { swap }),
    ...limits,
    ...budget,
  };
}

function readScene(input: Json, i: number): Plan['environments'][number] {
  if (typeof input === 'string') return { environment: input, tasks: [{}] };
  const where = `environments[${i}]`;
  const scene = fields(input, where, ['environment', 'tasks']);
  if (typeof scene['environment'] !== 'string') throw wrong(`${where}.environment`, 'the name of an environment', scene['environment']);
  return {
    environment: scene['environment'],
    tasks: scene['tasks'] === undefined ? [{}] : list(scene['tasks'], `${where}.tasks`, 'a list of tasks like [{}]'),
  };
}

function readSeeds(input: Json | undefined): Plan['seeds'] {
  const seed = (value: Json | undefined) => Number.isSafeInteger(value) && (value as number) >= 0;
  if (input === undefined) return { from: 0, count: 1 };
  if (seed(input) && (input as number) > 0) return { from: 0, count: input as number };
  if (Array.isArray(input) && input.length > 0 && input.every(seed)) return [...new Set(input as readonly number[])];
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    const { from, count, ...rest } = input as JsonObject;
    if (seed(from) && seed(count) && (count as number) > 0 && Object.keys(rest).length === 0)
      return { from: from as number, count: count as number };
  }
  throw wrong('seeds', 'a count like 100, a list like [1, 2, 3], or {"from": 0, "count": 100}', input);
}

function readCast(input: Json, i: number): Cast {
  const where = `casts[${i}]`;
  const cast = fields(input, where, null);
  if (Object.keys(cast).length === 0) throw wrong(where, 'an agent for each seat, or for "*"', input);
  for (const [seat, spec] of Object.entries(cast)) if (typeof spec !== 'string') readSpec(spec, `${where}.${seat}`);
  return cast as unknown as Cast;
}

function readSpec(input: Json, where: string): void {
  const spec = fields(input, where, specFields);
  for (const field of ['name', 'kind'])
    if (typeof spec[field] !== 'string' || spec[field] === '') throw wrong(`${where}.${field}`, 'a text', spec[field]);
}

function amounts(input: Json, where: string, known: readonly string[]): Readonly<Record<string, number>> {
  const given = fields(input, where, known);
  for (const [name, amount] of Object.entries(given)) {
    const whole = name !== 'money' && name !== 'seconds';
    if (typeof amount !== 'number' || !(amount > 0) || (whole && !Number.isInteger(amount)))
      throw wrong(`${where}.${name}`, whole ? 'a whole number above 0' : 'a number above 0', amount);
  }
  return given as Readonly<Record<string, number>>;
}

function fields(input: Json | undefined, where: string, known: readonly string[] | null): JsonObject {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw wrong(where, 'an object', input);
  const unknown = known === null ? undefined : Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `The plan has an unknown field "${unknown}" in ${where}; it may have ${(known as readonly string[]).join(', ')}.`,
    );
  return input as JsonObject;
}

function list(input: Json | undefined, where: string, example: string): readonly Json[] {
  if (!Array.isArray(input) || input.length === 0) throw wrong(where, example, input);
  return input;
}

function wrong(where: string, expected: string, found: Json | undefined): Fault {
  const text = found === undefined ? 'is missing' : `is ${JSON.stringify(found).slice(0, 80)}`;
  return new Fault('input', `The plan needs ${expected} at ${where}, but it ${text}.`);
}

/** The id of a plan's run: its name, or the hash of what it plays. Budgets do not count: they change how far a run gets, not what it is. */
export function runId(plan: Plan): string {
  if (plan.name !== undefined) return plan.name;
  const { budget: _, ...played } = plan;
  return hash(played as unknown as Json).slice(0, 12);
}

/** The id of one cell's episode in a run. A later attempt at an episode that failed has an id of its own. */
export function episodeId(run: string, cell: Cell, attempt = 0): string {
  return hash([run, cell as unknown as Json, attempt]).slice(0, 20);
}

/** A plan made ready: environments loaded, tasks read, casts assigned to seats, cells countable without being listed. */
export interface PlanTasks {
  readonly planned: number;
  readonly worlds: ReadonlyMap<string, AnyEnvironment>;
  readonly scenes: readonly { readonly environment: AnyEnvironment; readonly task: Json; readonly casts: readonly Cast[] }[];
}

export async function loadPlanTasks(plan: Plan, load: (name: string) => Promise<AnyEnvironment>): Promise<PlanTasks> {
  const worlds = new Map<string, AnyEnvironment>();
  const scenes: { environment: AnyEnvironment; task: Json; casts: readonly Cast[] }[] = [];
  for (const { environment: name, tasks } of plan.environments) {
    const environment = await load(name);
    worlds.set(environment.id, environment);
    for (const task of distinct(tasks.map((input) => environment.task(input) as Json))) {
      if (scenes.some((scene) => scene.environment.id === environment.id && equal(scene.task, task))) continue;
      const seats = environment.seats(task);
      const casts = plan.casts.flatMap((cast) => (plan.swap === true ? rotations(seatCast(cast, seats)) : [seatCast(cast, seats)]));
      scenes.push({ environment, task, casts: distinct(casts as unknown as Json[]) as unknown as Cast[] });
    }
  }
  const seeds = 'from' in plan.seeds ? plan.seeds.count : plan.seeds.length;
  return { planned: seeds * scenes.reduce((sum, scene) => sum + scene.casts.length, 0), worlds, scenes };
}

/** Every cell, lazily: a plan of a million episodes is still a small object. All casts of a seed are adjacent. */
export function* cells(plan: Plan, { scenes }: PlanTasks): Generator<Cell, void, undefined> {
  for (const { environment, task, casts } of scenes) {
    for (const seed of seedsOf(plan)) for (const cast of casts) yield { environment: environment.id, task, seed, cast };
  }
}

function* seedsOf({ seeds }: Plan): Generator<Seed, void, undefined> {
  if ('from' in seeds) for (let i = 0; i < seeds.count; i++) yield seeds.from + i;
  else yield* seeds;
}

function seatCast(cast: Cast, seats: readonly Seat[]): Cast {
  const unknown = Object.keys(cast).find((seat) => seat !== '*' && !seats.includes(seat));
  if (unknown !== undefined)
    throw new Fault('input', `A cast names the seat "${unknown}", but the seats are ${seats.join(', ')}; use those, or "*" for all.`);
  const full: Record<Seat, AgentSpec | string> = {};
  for (const seat of seats) {
    const spec = cast[seat] ?? cast['*'];
    if (spec === undefined) throw new Fault('input', `A cast leaves the seat "${seat}" empty; name an agent for it, or for "*".`);
    full[seat] = spec;
  }
  return full;
}

/** The cast in every rotation of its seats: with two seats, both ways round. */
function rotations(cast: Cast): Cast[] {
  const seats = Object.keys(cast);
  return seats.map((_, shift) =>
    Object.fromEntries(seats.map((seat, i) => [seat, cast[seats[(i + shift) % seats.length] as Seat] as AgentSpec | string])),
  );
}

function distinct<T extends Json>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [canonical(item), item])).values()];
}
