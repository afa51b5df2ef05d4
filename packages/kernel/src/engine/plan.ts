/** @file Parses plans, and expands them to cells whose episode ids depend only on the plan. */

import type { AgentSpec, AnyEnvironment, Cast, Cell, EpisodeRecord, EpisodeVersions, Json, Plan, Seat, Seed } from '../core/index.ts';
import { canonical, equal, Fault, hash, recordOf, sha256 } from '../core/index.ts';
import { readAs } from '../core/shape.ts';
import { didYouMean } from '../core/suggest.ts';
import { planShape } from './plan-shape.ts';

/** Parses a plan; without `casts` all seats play at random. */
export function readPlan(input: Json, where = 'The plan'): Plan {
  const plan = readAs(planShape, input, { where, called: 'a plan' });
  if (plan.seedPerCast === true && !('from' in plan.seeds))
    throw new Fault('input', `${where} gives every cast different seeds, but also lists its seeds. Set "seeds" to a number, such as 1.`);
  return { ...plan, seeds: 'from' in plan.seeds ? plan.seeds : [...new Set(plan.seeds)] };
}

/** The id of a plan's run: its name, or the hash of its contents. Budgets are excluded, because they only limit how far a run gets. */
export function runId(plan: Plan): string {
  if (plan.name !== undefined) return plan.name;
  const { budget: _, ...played } = plan;
  return hash(played).slice(0, 12);
}

/** The id of one cell's episode in a run. A later attempt at an episode that failed has its own id. */
export function episodeId(run: string, cell: Cell, attempt = 0): string {
  return sha256(idText(run, cell, attempt)).slice(0, 20);
}

/**
 * The id under which a cell must be played: its first unfinished attempt; null if it is done. With `reuse`, an episode stored without
 * fingerprints counts as well.
 */
export function openId(
  run: string,
  cell: Cell,
  statuses: ReadonlyMap<string, EpisodeRecord['status']>,
  { retry = false, reuse = false }: { readonly retry?: boolean | undefined; readonly reuse?: boolean | undefined },
): string | null {
  for (let attempt = 0; ; attempt++) {
    const id = episodeId(run, cell, attempt);
    const status = statuses.get(id);
    if (status === undefined && attempt === 0 && reuse && cell.versions !== undefined) {
      const { versions: _, ...unversioned } = cell;
      const older = statuses.get(episodeId(run, unversioned));
      if (older !== undefined && older !== 'running' && (older !== 'error' || !retry)) return null;
    }
    if (status === undefined || status === 'running') return id;
    if (status !== 'error' || !retry) return null;
  }
}

/** Canonical JSON of run, cell, and attempt. Tasks, casts, and versions are serialized once, because cells of a plan share them. */
export function idText(run: string, { environment, task, seed, cast, versions }: Cell, attempt: number): string {
  const version = versions === undefined ? '' : `,"versions":${keptText(versions)}`;
  const place = `{"cast":${keptText(cast)},"environment":${JSON.stringify(environment)},"seed":${seed},"task":${keptText(task)}${version}}`;
  return `[${JSON.stringify(run)},${place},${attempt}]`;
}

const texts = new WeakMap<object, string>();

/** Canonical JSON of a value, computed once per object: cells and stored records share theirs. */
export function keptText(value: Json): string {
  if (typeof value !== 'object' || value === null) return canonical(value);
  const knownText = texts.get(value);
  if (knownText !== undefined) return knownText;
  const text = canonical(value);
  texts.set(value, text);
  return text;
}

/** A prepared plan: environments loaded, tasks parsed, casts assigned to seats, cells countable without being listed. */
export interface PlanTasks {
  readonly planned: number;
  readonly environments: ReadonlyMap<string, AnyEnvironment>;
  /** The names under which the plan loads its environments, by id: workers load them by the same names. */
  readonly names: ReadonlyMap<string, string>;
  readonly scenes: readonly { readonly environment: AnyEnvironment; readonly task: Json; readonly casts: readonly Cast[] }[];
}

export async function loadPlanTasks(plan: Plan, load: (name: string) => Promise<AnyEnvironment>): Promise<PlanTasks> {
  const environments = new Map<string, AnyEnvironment>();
  const names = new Map<string, string>();
  const scenes: { environment: AnyEnvironment; task: Json; casts: readonly Cast[] }[] = [];
  for (const { environment: name, tasks } of plan.environments) {
    const environment = await load(name);
    environments.set(environment.id, environment);
    names.set(environment.id, name);
    for (const task of distinct(tasks.map((input) => environment.task(input) as Json))) {
      if (scenes.some((scene) => scene.environment.id === environment.id && equal(scene.task, task))) continue;
      const seats = environment.seats(task);
      const casts = plan.casts.flatMap((cast) => (plan.swap === true ? rotations(seatCast(cast, seats)) : [seatCast(cast, seats)]));
      scenes.push({ environment, task, casts: distinct(casts) as Cast[] });
    }
  }
  const seeds = 'from' in plan.seeds ? plan.seeds.count : plan.seeds.length;
  return { planned: seeds * scenes.reduce((sum, scene) => sum + scene.casts.length, 0), environments, names, scenes };
}

/**
 * The fingerprints of an environment, by its id, and of a cast in it. Returns the same object for the same arguments, because ids use its
 * cached text.
 */
export type VersionsOf = (environment: string, cast: Cast) => EpisodeVersions;

/** Every cell, lazily: a plan with a million episodes is still a small object. All casts of a seed are adjacent. */
export function* cells(plan: Plan, { scenes }: PlanTasks, versionsOf?: VersionsOf): Generator<Cell, void, undefined> {
  for (const { environment, task, casts } of scenes) {
    const { seeds } = plan;
    const each = plan.seedPerCast === true && 'from' in seeds ? seeds.count : 0;
    const versions = casts.map((cast) => (versionsOf === undefined ? {} : { versions: versionsOf(environment.id, cast) }));
    for (const seed of seedsOf(plan))
      for (const [i, cast] of casts.entries()) yield { environment: environment.id, task, seed: seed + i * each, cast, ...versions[i] };
  }
}

function* seedsOf({ seeds }: Plan): Generator<Seed, void, undefined> {
  if ('from' in seeds) for (let i = 0; i < seeds.count; i++) yield seeds.from + i;
  else yield* seeds;
}

function seatCast(cast: Cast, seats: readonly Seat[]): Cast {
  const unknown = Object.keys(cast).find((seat) => seat !== '*' && !seats.includes(seat));
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `A cast names the seat "${unknown}", but the seats are ${seats.join(', ')}. Use those, or "*" for all.${didYouMean(unknown, seats)}`,
    );
  const full: Record<Seat, AgentSpec | string> = {};
  for (const seat of seats) {
    const spec = cast[seat] ?? cast['*'];
    if (spec === undefined) throw new Fault('input', `A cast has no agent for the seat "${seat}". Add one for it, or for "*".`);
    full[seat] = spec;
  }
  return full;
}

/** The cast in every rotation of its seats: with two seats, both orders. */
function rotations(cast: Cast): Cast[] {
  const seats = Object.keys(cast);
  return seats.map((_, shift) => recordOf(seats, (_, i) => cast[seats[(i + shift) % seats.length]!]!));
}

function distinct<T extends Json>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [keptText(item), item])).values()];
}
