/**
 * @file Which versions of agents and environments a run is about. Each invocation writes the fingerprints of what it plays into the run's
 * journal "versions", so that every reader of the run knows which stored episodes are about the present, and which about something that has
 * changed since.
 */

import {
  type AgentSpec,
  type Cast,
  canonical,
  type EpisodeRecord,
  type EpisodeTally,
  type EpisodeVersions,
  Fault,
  hash,
  type Json,
  type Plan,
  type Store,
} from '../core/index.ts';
import { count } from '../core/format.ts';
import { withoutKeys } from '../core/spec-keys.ts';
import { keptText, type PlanTasks, type VersionsOf } from '../engine/plan.ts';
import { type Fingerprint, type FingerprintPlace, Fingerprints } from './fingerprint.ts';

const journal = 'versions';
/** Specs that a run was played with later than its plan says, each once under its fingerprint. */
const specJournal = 'specs';

/** The fingerprints that one name has in a run: several for a name that many people of a population share. */
interface NamedVersions {
  /** The same wherever exactly these versions play; another for each invocation where something is unpinned. */
  readonly id: string;
  readonly versions: readonly string[];
}

/** An entry of the journal: what an invocation plays, as far as it differs from the entries before. */
interface VersionEntry {
  readonly environments?: Readonly<Record<string, NamedVersions>>;
  readonly agents?: Readonly<Record<string, NamedVersions>>;
  /** Episodes without fingerprints were counted as played. */
  readonly reuse?: boolean;
}

/** What the episodes of a run are about now. */
export interface CurrentVersions {
  readonly environments: ReadonlyMap<string, NamedVersions>;
  readonly agents: ReadonlyMap<string, NamedVersions>;
  /** Fingerprints that others have taken the place of. */
  readonly superseded: ReadonlySet<string>;
  /** What an agent with a fingerprint is in every run; the same for two runs where the user named the same. */
  readonly identities: ReadonlyMap<string, string>;
  readonly reuse: boolean;
}

/** Reads what the episodes of a run are about now. */
export async function readVersions(store: Pick<Store, 'notes'>, run: string): Promise<CurrentVersions> {
  return foldEntries((await store.notes(run, journal)) as unknown as readonly VersionEntry[]);
}

function foldEntries(entries: readonly VersionEntry[]): CurrentVersions {
  const environments = new Map<string, NamedVersions>();
  const agents = new Map<string, NamedVersions>();
  const superseded = new Set<string>();
  let reuse = false;
  for (const entry of entries) {
    for (const [table, named] of [[environments, entry.environments ?? {}], [agents, entry.agents ?? {}]] as const)
      for (const [name, next] of Object.entries(named)) {
        for (const old of table.get(name)?.versions ?? []) superseded.add(old);
        table.set(name, next);
      }
    for (const table of [environments, agents]) for (const { versions } of table.values()) for (const one of versions) superseded.delete(one);
    reuse = entry.reuse ?? reuse;
  }
  const identities = new Map([...agents.values()].flatMap(({ id, versions }) => versions.map((one) => [one, id] as const)));
  return { environments, agents, superseded, identities, reuse };
}

/** The episodes of a run that are about the present, newest first, some at a time. */
export async function* currentRecords(store: Pick<Store, 'notes' | 'episodes'>, run: string): AsyncGenerator<EpisodeRecord> {
  const current = await readVersions(store, run);
  for (let [before, full] = [{}, true]; full; ) {
    const records = await store.episodes({ run, limit: page, ...before });
    for (const record of records) if (isCurrent(record, current)) yield record;
    full = records.length === page;
    before = full ? { before: records.at(-1)!.order } : {};
  }
}

const page = 500;

type Versioned = Pick<EpisodeRecord, 'environment' | 'cast' | 'versions'>;

/** Whether an episode was played by what the run is about now. An episode without fingerprints is, unless something in it has some now. */
export function isCurrent({ environment, cast, versions }: Versioned, current: CurrentVersions): boolean {
  if (versions === undefined)
    return current.reuse || !(current.environments.has(environment) || Object.values(cast).some((name) => current.agents.has(name)));
  if (current.superseded.size === 0) return true;
  if (current.superseded.has(versions.environment)) return false;
  for (const seat in versions.agents) if (current.superseded.has(versions.agents[seat]!)) return false;
  return true;
}

/** The episodes of a run that are about the present, and how many are not. */
export function currentOnly<T extends Versioned & { readonly count?: number }>(
  items: readonly T[],
  current: CurrentVersions,
): { readonly items: readonly T[]; readonly earlier: number } {
  const present = items.filter((item) => isCurrent(item, current));
  const countOf = (some: readonly T[]) => some.reduce((sum, { count = 1 }) => sum + count, 0);
  return { items: present, earlier: present.length === items.length ? 0 : countOf(items) - countOf(present) };
}

/** Why stored episodes do not count, and how many are played again for it. */
export interface VersionChange {
  readonly what: 'agent' | 'environment' | 'run';
  readonly name: string;
  /** It is another than before; nobody can know whether it is; or it was stored without a fingerprint. */
  readonly reason: 'changed' | 'unpinned' | 'unknown';
  readonly why?: string;
  readonly episodes: number;
}

/** The same as a sentence. */
export function changeText({ what, name, reason, why, episodes }: VersionChange, run: string): string {
  const again = `${count(episodes, 'episode')} ${episodes === 1 ? 'is' : 'are'} played again`;
  if (reason === 'changed') return `${what} ${name} changed since run ${run}: ${again}.`;
  if (reason === 'unpinned') return `${what} ${name} may have changed since run ${run} (${why ?? 'it is not pinned'}): ${again}; --reuse keeps them.`;
  return `${count(episodes, 'episode')} of run ${run} ${episodes === 1 ? 'was' : 'were'} stored without a version of what played, and ${episodes === 1 ? 'does' : 'do'} not count; --reuse keeps them.`;
}

/** The fingerprints of one invocation. */
export interface PlanVersions {
  readonly of: VersionsOf;
  readonly current: CurrentVersions;
  readonly changes: readonly VersionChange[];
  /** Names with parts that cannot be hashed: what is stored of them is played again next time. */
  readonly unpinned: ReadonlyMap<string, string>;
}

export interface VersionsOptions extends FingerprintPlace {
  readonly store: Pick<Store, 'note' | 'notes' | 'run' | 'tally'>;
  readonly run: string;
  /** Agents as the user named them, where the plans give them personas or kinds of their scenes: they are the same agent in every run. */
  readonly candidates?: readonly AgentSpec[] | undefined;
  /** Use what is stored of things that cannot be hashed, and what was stored without fingerprints. */
  readonly reuse?: boolean | undefined;
}

/** A plan with its tasks as they were read. */
export interface PlannedTasks {
  readonly plan: Plan;
  readonly sheet: PlanTasks;
}

/** Computes the fingerprints of everything that some plans of one run play, and notes them in the run. */
export async function openVersions(planned: readonly PlannedTasks[], options: VersionsOptions): Promise<PlanVersions> {
  const prints = new Fingerprints(options);
  const environments = new Map<string, Map<string, Fingerprint>>();
  const agents = new Map<string, Map<string, Fingerprint>>();
  for (const { sheet } of planned) {
    for (const [id, name] of sheet.names) put(environments, id, id, await prints.environment(name));
    for (const { casts } of sheet.scenes)
      for (const cast of casts)
        for (const spec of Object.values(cast)) {
          const name = typeof spec === 'string' ? spec : spec.name;
          if (agents.get(name)?.has(keyOf(spec as Json)) !== true) put(agents, name, keyOf(spec as Json), await prints.agent(spec));
        }
  }
  const candidates = new Map<string, Fingerprint>();
  for (const spec of options.candidates ?? []) candidates.set(spec.name, await prints.agent(spec));
  const { before, current, entry, marks } = await declare({ environments, agents, candidates }, options);
  if (entry !== null) await keepSpecs(planned, { prints, options });
  const known = new Map<string, EpisodeVersions>();
  const of = (environment: string, cast: Cast): EpisodeVersions => {
    const key = `${environment}\n${keptText(cast as unknown as Json)}`;
    const made = known.get(key) ?? {
      environment: marks.environments(environment, environment),
      agents: Object.fromEntries(
        Object.entries(cast).map(([seat, spec]) => [seat, marks.agents(typeof spec === 'string' ? spec : spec.name, keyOf(spec as Json))]),
      ),
    };
    known.set(key, made);
    return made;
  };
  const unpinned = new Map([...unpinnedIn(environments), ...unpinnedIn(agents)]);
  const tallies = entry === null && before.environments.size > 0 ? [] : await options.store.tally({ run: options.run });
  return { of, current, unpinned, changes: changesIn({ planned, before, current, tallies, unpinned, run: options.run }) };
}

/** A spec that a run was played with, and its fingerprint. */
export interface PlayedSpec {
  readonly hash: string;
  readonly spec: AgentSpec;
}

/** The specs of a run that its plan does not have: the plan stays as it was first stored. */
export async function readPlayedSpecs(store: Pick<Store, 'notes'>, run: string): Promise<readonly PlayedSpec[]> {
  return (await store.notes(run, specJournal)) as unknown as readonly PlayedSpec[];
}

/** Notes the specs that the stored plan of the run does not have, so that their episodes can be scored, explained and resumed. */
async function keepSpecs(
  planned: readonly PlannedTasks[],
  { prints, options: { store, run } }: { readonly prints: Fingerprints; readonly options: VersionsOptions },
): Promise<void> {
  const stored = await store.run(run);
  if (stored === null) return;
  const textOf = (spec: Json) => canonical(withoutKeys({ environments: [], seeds: [], casts: [{ seat: spec as never }] }).casts[0]!['seat'] as Json);
  const known = new Set(stored.plan.casts.flatMap((cast) => Object.values(cast).map((spec) => textOf(spec as Json))));
  const noted = await readPlayedSpecs(store, run);
  const hashes = new Set(noted.map((one) => one.hash));
  const fresh: PlayedSpec[] = [];
  for (const { sheet } of planned)
    for (const { casts } of sheet.scenes)
      for (const spec of casts.flatMap((cast) => Object.values(cast))) {
        const text = typeof spec === 'string' ? null : textOf(spec as unknown as Json);
        if (text === null || known.has(text)) continue;
        known.add(text);
        const { hash: of } = await prints.agent(spec);
        if (!hashes.has(of)) fresh.push({ hash: of, spec: JSON.parse(text) as AgentSpec });
        hashes.add(of);
      }
  // Another process that plays the same has noted the same.
  if (fresh.length > 0) await store.note(run, specJournal, noted.length, fresh as unknown as readonly Json[]).catch(() => {});
}

type Prints = ReadonlyMap<string, ReadonlyMap<string, Fingerprint>>;

function put(table: Map<string, Map<string, Fingerprint>>, name: string, key: string, print: Fingerprint): void {
  const prints = table.get(name) ?? new Map<string, Fingerprint>();
  table.set(name, prints.set(key, print));
}

function keyOf(spec: Json): string {
  return typeof spec === 'string' ? spec : keptText(spec);
}

function unpinnedIn(prints: Prints): readonly (readonly [string, string])[] {
  return [...prints].flatMap(([name, versions]) => {
    const why = [...new Set([...versions.values()].flatMap((print) => print.unpinned))];
    return why.length === 0 ? [] : [[name, why.join('; ')] as const];
  });
}

interface Declared {
  readonly before: CurrentVersions;
  readonly current: CurrentVersions;
  /** What was noted; null where nothing is new. */
  readonly entry: VersionEntry | null;
  readonly marks: Readonly<Record<'environments' | 'agents', (name: string, key: string) => string>>;
}

/** Notes what is played now. Another process may note something at the same time: then it is read again. */
async function declare(
  prints: { readonly environments: Prints; readonly agents: Prints; readonly candidates: ReadonlyMap<string, Fingerprint> },
  options: VersionsOptions,
): Promise<Declared> {
  const { store, run, reuse = false } = options;
  for (let tries = 0; ; tries++) {
    const entries = (await store.notes(run, journal)) as unknown as readonly VersionEntry[];
    const before = foldEntries(entries);
    const marked = { environments: new Map<string, ReadonlyMap<string, string>>(), agents: new Map<string, ReadonlyMap<string, string>>() };
    const fresh: { environments: Record<string, NamedVersions>; agents: Record<string, NamedVersions> } = { environments: {}, agents: {} };
    for (const part of ['environments', 'agents'] as const)
      for (const [name, versions] of prints[part]) {
        const known = before[part].get(name);
        const round = roundOf(known) + (reuse && known !== undefined ? 0 : 1);
        const marks = new Map([...versions].map(([key, print]) => [key, markOf(print, Math.max(1, round))]));
        marked[part].set(name, marks);
        const candidate = part === 'agents' ? prints.candidates.get(name) : undefined;
        const same = candidate === undefined ? undefined : [markOf(candidate, Math.max(1, round))];
        const next = namedVersions([...marks.values()], run, same);
        if (known === undefined || !isSame(known, next)) fresh[part][name] = next;
      }
    const isNew = Object.keys({ ...fresh.environments, ...fresh.agents }).length > 0 || before.reuse !== reuse;
    const entry: VersionEntry | null = isNew ? { ...fresh, ...(before.reuse === reuse ? {} : { reuse }) } : null;
    const read = (part: 'environments' | 'agents') => (name: string, key: string) => marked[part].get(name)?.get(key) ?? '';
    const declared = { before, entry, current: foldEntries(entry === null ? entries : [...entries, entry]) };
    const marks = { environments: read('environments'), agents: read('agents') };
    if (entry === null) return { ...declared, marks };
    try {
      await store.note(run, journal, entries.length, [entry as unknown as Json]);
      return { ...declared, marks };
    } catch (thrown) {
      const { length } = await store.notes(run, journal);
      if (length === entries.length || tries > 20) throw thrown;
    }
  }
}

/** What stands for a fingerprint: the hash, and the invocation where that cannot say everything. */
function markOf({ hash: of, unpinned }: Fingerprint, round: number): string {
  return unpinned.length === 0 ? of : `${of}~${round}`;
}

function roundOf(known: NamedVersions | undefined): number {
  return Math.max(0, ...(known?.versions ?? []).map((one) => Number(one.split('~')[1] ?? 0)));
}

/** `same` are the marks that make it the same thing in every run; its versions in this run without them. */
function namedVersions(marks: readonly string[], run: string, same?: readonly string[]): NamedVersions {
  const versions = [...new Set(marks)].sort();
  const decides = same ?? versions;
  const isPinned = decides.every((one) => !one.includes('~'));
  return { id: hash(isPinned ? decides : [run, ...decides]).slice(0, 16), versions };
}

function isSame(one: NamedVersions, other: NamedVersions): boolean {
  return one.id === other.id && one.versions.join() === other.versions.join();
}

interface Comparison {
  readonly planned: readonly PlannedTasks[];
  readonly before: CurrentVersions;
  readonly current: CurrentVersions;
  readonly tallies: readonly EpisodeTally[];
  readonly unpinned: ReadonlyMap<string, string>;
  readonly run: string;
}

/** What has changed since the run was last played, with the number of episodes that are played again for it. */
function changesIn({ planned, before, current, tallies, unpinned, run }: Comparison): readonly VersionChange[] {
  const changes: VersionChange[] = [];
  for (const part of ['environments', 'agents'] as const)
    for (const [name, now] of current[part]) {
      const old = before[part].get(name);
      if (old === undefined || isSame(old, now)) continue;
      const marksIn = ({ versions }: EpisodeTally) =>
        versions === undefined ? [] : part === 'environments' ? [versions.environment] : Object.values(versions.agents);
      const countOf = (marks: readonly string[]) =>
        tallies.reduce((sum, tally) => sum + (tally.status !== 'running' && marksIn(tally).some((one) => marks.includes(one)) ? tally.count : 0), 0);
      const gone = old.versions.filter((one) => !now.versions.includes(one));
      const fresh = now.versions.filter((one) => !old.versions.includes(one));
      const episodes = Math.min(countOf(gone), plannedFor(part, name, planned) - countOf(fresh));
      if (episodes <= 0) continue;
      const plain = (one: string) => one.split('~')[0]!;
      const isRepeat = gone.every((one) => fresh.some((next) => plain(next) === plain(one)));
      const why = isRepeat ? unpinned.get(name) : undefined;
      const what = part === 'agents' ? 'agent' : 'environment';
      changes.push({ what, name, reason: isRepeat ? 'unpinned' : 'changed', episodes, ...(why === undefined ? {} : { why }) });
    }
  const unknown = current.reuse
    ? 0
    : tallies.reduce((sum, tally) => sum + (tally.versions === undefined && !isCurrent(tally, current) ? tally.count : 0), 0);
  return unknown === 0 ? changes : [...changes, { what: 'run', name: run, reason: 'unknown', episodes: unknown }];
}

/** How many episodes of some plans a name takes part in. */
function plannedFor(part: 'environments' | 'agents', name: string, planned: readonly PlannedTasks[]): number {
  let episodes = 0;
  for (const { plan, sheet } of planned) {
    const seeds = 'from' in plan.seeds ? plan.seeds.count : plan.seeds.length;
    for (const { environment, casts } of sheet.scenes)
      for (const cast of casts) {
        const isIn = Object.values(cast).some((spec) => (typeof spec === 'string' ? spec : spec.name) === name);
        if (part === 'environments' ? environment.id === name : isIn) episodes += seeds;
      }
  }
  return episodes;
}

/** A cast of a job, and the fingerprints that it was made with. */
export interface VersionedCast {
  /** By the name under which it is loaded. */
  readonly environment: string;
  readonly cast: Cast;
  readonly versions: EpisodeVersions;
}

/** A worker plays a job only with what the job was made for. */
export async function checkVersions({ environment, cast, versions }: VersionedCast, place: FingerprintPlace): Promise<void> {
  const prints = new Fingerprints(place);
  const plain = (mark: string | undefined) => mark?.split('~')[0];
  const refuse = (what: string) => {
    throw new Fault('input', `${what} differs from the one that the job is for; give every worker the same files and settings.`);
  };
  if ((await prints.environment(environment)).hash !== plain(versions.environment)) refuse(`The environment ${environment} of this worker`);
  for (const [seat, spec] of Object.entries(cast))
    if ((await prints.agent(spec)).hash !== plain(versions.agents[seat]))
      refuse(`The agent "${typeof spec === 'string' ? spec : spec.name}" of this worker`);
}
