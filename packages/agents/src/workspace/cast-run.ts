/**
 * @file The run of a cast assembled in a terminal or the studio: it stores the specs and personas, so that its episodes can be scored,
 * reported, forked, and explained. Runs started by the user are marked, to distinguish them from imported ones.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentSpec, Cast, Json, Plan, Seat, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/index';
import { withoutKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { slug } from '../personas/slug.ts';
import { findAgent } from './agents.ts';
import { wantsOf } from './consent.ts';
import { Trust } from './trust.ts';

export interface CastRun {
  /** The kind of play, such as "scene" or "chat": the first word of the run's id. */
  readonly kind: string;
  readonly title: string;
  readonly environment: string;
  readonly task: Json;
  readonly seed: Seed;
  readonly cast: Cast;
  /** The version of the cast besides its specs: another program is another run. */
  readonly version?: string;
}

/**
 * Stores the run and returns its id. The same cast in the same scene is the same run, whatever the seed. A run started by the user, and not
 * by a request or stored data, is marked in that folder.
 */
export async function putCastRun(store: Pick<Store, 'putRun'>, run: CastRun, begun?: Begun): Promise<string> {
  const { environment, task, seed, cast } = run;
  const id = castRunId(run);
  const plan: Plan = { name: id, environments: [{ environment, tasks: [task] }], seeds: [seed], casts: [cast] };
  if (begun !== undefined) markOwn(begun.place, id, begun.specs ?? Object.values(cast));
  await store.putRun({ id, plan, episodes: 1 });
  return id;
}

/** The id under which a cast is stored. */
export function castRunId({ kind, title, environment, task, cast, version }: Omit<CastRun, 'seed'>): string {
  const decides = [environment, task, cast as Json, ...(version === undefined ? [] : [version])];
  return `${castRunPrefix(kind, title)}${hash(decides).slice(0, 8)}`;
}

/** The common prefix of the ids of all casts with this kind and title. */
export function castRunPrefix(kind: string, title: string): string {
  return `${kind}-${slug(title).slice(0, 40) || 'untitled'}-`;
}

/** Who starts a run, and which of its agents the user named: by default all. */
interface Begun {
  readonly place: WorkingFolder;
  readonly specs?: readonly (AgentSpec | string)[];
}

/**
 * The run of an episode whose log is incomplete without it: for the user's own documents and programs, and servers. Undefined if names are
 * enough. `stored` contains the seats that the user did not name.
 */
export async function keepCast(
  store: Pick<Store, 'putRun'>,
  { stored = [], ...run }: CastRun & { readonly stored?: readonly Seat[] },
  place: WorkingFolder,
): Promise<string | undefined> {
  const cast: Record<Seat, AgentSpec | string> = {};
  for (const [seat, spec] of Object.entries(run.cast)) cast[seat] = await specToKeep(spec, place.cwd, Trust.commandLine);
  if (![run.environment, ...Object.values(cast)].some((spec) => typeof spec !== 'string' || wantsOf(spec).length > 0)) return undefined;
  const named = Object.keys(cast).filter((seat) => !stored.includes(seat));
  return putCastRun(store, { ...run, cast }, { place, specs: [run.environment, ...named.map((seat) => cast[seat]!)] });
}

/** A spec for storage: the name of a user's document is replaced by its contents; a program stays a name. */
export async function specToKeep(input: AgentSpec | string, cwd: string, trust: Trust): Promise<AgentSpec | string> {
  if (typeof input !== 'string' || /^[a-z][a-z0-9]+:|^local\//.test(input)) return input;
  const agentSource = await findAgent(input, cwd, trust);
  return agentSource === undefined || typeof agentSource === 'function' || 'act' in agentSource || agentSource.kind === input
    ? input
    : agentSource;
}

/** Marks that this installation started these specs in this run. Only specs that access resources or call a model need it. */
export function markOwn(place: WorkingFolder, run: string, specs: Iterable<AgentSpec | string>): void {
  const marks = new OwnMarks(place);
  for (const spec of specs) {
    if (wantsOf(spec).length === 0 && (typeof spec === 'string' || spec.model === undefined)) continue;
    for (const value of [markValue(run, spec), markValue(run, spec, place)]) if (!marks.has(value)) marks.add(value);
  }
}

/** Marks that a page of this installation started these specs in this run: they may act again with the rights of a request. */
export function markRequested(place: WorkingFolder, run: string, specs: Iterable<AgentSpec | string>): void {
  const marks = new OwnMarks(place);
  const values = [...specs].filter((spec) => wantsOf(spec).length > 0).map((spec) => requestMark(run, spec));
  for (const value of values) if (!marks.has(value)) marks.add(value);
}

/** The contents of a mark of a page. */
export function requestMark(run: string, spec: AgentSpec | string): Json {
  return ['request', markValue(run, spec)];
}

/** The contents of a mark: this spec in this run, and with a folder the current files that it names. */
export function markValue(run: string, spec: AgentSpec | string, place?: WorkingFolder): Json {
  const { casts } = withoutKeys({ environments: [], seeds: [], casts: [{ seat: spec }] });
  const files = place === undefined ? null : filesOf(spec).map((file) => [file, digestOf(resolve(place.cwd, file))]);
  return ['cast', run, (casts[0] as Cast)['seat'] as Json, files as Json];
}

/** Programs and documents that a spec names. Model weights are omitted: they are large and not programs. */
export function filesOf(spec: AgentSpec | string): readonly string[] {
  const files = wantsOf(spec).flatMap(({ kind, what }) => (kind === 'file' && /\.([cm]?[jt]s|json)$/.test(what) ? [what] : []));
  return [...new Set(files)].sort();
}

function digestOf(file: string): string | null {
  const match = [file, file.replace(/\.([jt]s)$/, '.m$1')].find((item) => existsSync(item));
  return match === undefined ? null : createHash('sha256').update(readFileSync(match)).digest('hex');
}
