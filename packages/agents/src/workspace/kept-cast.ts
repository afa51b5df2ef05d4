/**
 * @file Finds the cast of a stored episode: in the plan of its run, or in the journal of the studio. Runs that this installation started
 * may run again without asking; imported ones need consent.
 */

import type {
  AgentSpec,
  Cast,
  EpisodeEvent,
  EpisodeRecord,
  EpisodeVersions,
  Json,
  RunRecord,
  Seat,
  StartEvent,
  Store,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, recordOf } from '@ludus-agents/kernel/internal/core/index';
import { hasKeys, lacksKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { entryProblem } from '@ludus-agents/store/internal/records';
import { findEpisode, type WorkingFolder } from '@ludus-agents/store/internal/stores';
import { filesOf, markValue, requestMark, specToKeep } from './cast-run.ts';
import { checkSpec } from './consent.ts';
import { Trust } from './trust.ts';
import { type PlayedSpec, readPlayedSpecs } from './versions.ts';

/**
 * The cast of an episode, from the plan of its run: by name, or by seat if the plan has a single cast. The log alone contains only names.
 */
export function castFrom(
  { seats, cast }: Pick<StartEvent, 'seats' | 'cast'>,
  run: RunRecord | null,
  { specs: played = [], versions }: PlayedBy = {},
): Record<Seat, AgentSpec | string> {
  const casts = run?.plan.casts ?? [];
  const specs = casts.flatMap((cast) => Object.values(cast)).filter((spec) => typeof spec !== 'string');
  const [only] = casts.length === 1 && run?.plan.swap !== true ? casts : [];
  const later = (seat: Seat) => played.find(({ hash: of }) => of === versions?.agents[seat]?.split('~')[0])?.spec;
  const of = (seat: Seat) => later(seat) ?? specs.find((spec) => spec.name === cast[seat]) ?? only?.[seat] ?? only?.['*'] ?? cast[seat]!;
  return recordOf(seats, of);
}

/** Specs added to a run after its plan, and the fingerprints of an episode: together they identify the specs that played it. */
interface PlayedBy {
  readonly specs?: readonly PlayedSpec[];
  readonly versions?: EpisodeVersions | undefined;
}

/** The cast of a stored episode. */
export async function readCast(
  store: Pick<Store, 'run' | 'notes'>,
  { run, cast, versions }: Pick<EpisodeRecord, 'run' | 'cast' | 'versions'>,
): Promise<Record<Seat, AgentSpec | string>> {
  const seats = Object.keys(cast);
  return run === null
    ? castFrom({ seats, cast }, null)
    : castFrom({ seats, cast }, await store.run(run), { specs: await readPlayedSpecs(store, run), versions });
}

/** The trust under which a stored spec may act again: the user's own if this installation started it, else data, which needs consent. */
export function trustOf(spec: AgentSpec | string, run: string | null, place: WorkingFolder): Trust {
  const name = String(typeof spec === 'string' ? spec : spec.name).slice(0, 80);
  if (lacksKeys(spec))
    throw new Fault('input', `A key of the agent "${name}" was not saved. Pass its file for the seat again, or write the key as \${NAME}.`);
  const marks = new OwnMarks(place);
  const isOwn = run !== null && marks.has(markValue(run, spec));
  if (isOwn && marks.has(markValue(run, spec, place))) return Trust.commandLine;
  if (isOwn)
    throw new Fault(
      'input',
      `The agent "${name}" is not the one that played: ${filesOf(spec).join(', ')} was changed or deleted. Pass the file for the seat again to use its current version.`,
      { code: 'E_STALE' },
    );
  const trust = run !== null && marks.has(requestMark(run, spec)) ? Trust.request : Trust.storedData;
  checkSpec(spec, trust, place);
  return trust;
}

/** A stored episode with its cast and rules, as far as they were stored. */
export interface EpisodeWithCast {
  readonly record: EpisodeRecord;
  readonly log: readonly EpisodeEvent[];
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  /** The rules by name or file, and the origin of that name. */
  readonly rules: { readonly name: string; readonly trust: Trust };
  /** The trust under which the agent of a seat may act again; throws if it may not. */
  admit(seat: Seat): Trust;
}

/**
 * The one episode whose id begins with the typed text. A file of its rules counts as named by the user if this installation played it and
 * it is unchanged.
 */
export async function readEpisodeWithCast(store: Store, typed: string, place: WorkingFolder): Promise<EpisodeWithCast> {
  const record = await findEpisode(store, typed);
  const log = await store.events(record.id);
  const page = record.run === studioRun ? await findLive(store, record.id, place) : null;
  if (page !== null) {
    const cast = await castOfEntry(store, page);
    const admit = (seat: Seat): Trust => {
      checkSpec(cast[seat]!, Trust.request, place);
      return Trust.request;
    };
    return { record, log, cast, rules: { name: page.environment, trust: Trust.request }, admit };
  }
  const run = record.run === null ? null : await store.run(record.run);
  const cast = await readCast(store, record);
  const [only] = run?.plan.environments.length === 1 ? ownRules(run, place) : [];
  const rules =
    only === undefined
      ? ({ name: record.environment, trust: Trust.storedData } as const)
      : ({ name: only, trust: Trust.commandLine } as const);
  return { record, log, cast, rules, admit: (seat) => trustOf(cast[seat]!, record.run, place) };
}

/** The rules that a run started with, by name or file, if this installation started it with them and they are unchanged. */
export function ownRules(run: RunRecord, place: WorkingFolder): readonly string[] {
  const marks = new OwnMarks(place);
  return run.plan.environments.map(({ environment }) => environment).filter((name) => marks.has(markValue(run.id, name, place)));
}

/** The run that contains the studio's episodes, and the journal with the cast of each. */
export const studioRun = 'studio';

/** The studio's run is created with its first episode or conversation: viewing a store writes nothing. */
export async function putStudioRun(store: Pick<Store, 'putRun'>): Promise<void> {
  const plan = { name: studioRun, environments: [], seeds: [], casts: [] };
  await store.putRun({ id: studioRun, plan, episodes: 0, work: { kind: 'studio' } });
}
export const studioJournal = 'episodes';

/** The cast in a journal entry of the studio: the typed words, and the documents that they named then. */
type SeatedCast = {
  readonly episode: string;
  readonly environment: string;
  readonly cast: Cast;
  /** Hashes of specs that came from files. */
  readonly specs?: Readonly<Record<Seat, string>>;
};

async function findLive(store: Store, episode: string, place: WorkingFolder): Promise<SeatedCast | null> {
  const marks = new OwnMarks(place);
  const notes = await store.notes(studioRun, studioJournal);
  const isIt = (note: Json) =>
    entryProblem('studio', studioJournal, note) === null && (note as SeatedCast).episode === episode && marks.has(note);
  return (notes.findLast(isIt) ?? null) as SeatedCast | null;
}

/** The cast by seat: the stored documents, else the current meaning of the words. */
export async function castOfEntry(
  store: Pick<Store, 'spec'>,
  { cast, specs = {} }: Pick<SeatedCast, 'cast' | 'specs'>,
): Promise<Record<Seat, AgentSpec | string>> {
  const seats = Object.entries(cast).map(async ([seat, word]) => {
    const address = specs[seat];
    const agentSpec = address === undefined ? null : await store.spec(address);
    return [seat, agentSpec !== null && hash(agentSpec) === address ? agentSpec : word] as const;
  });
  return Object.fromEntries(await Promise.all(seats));
}

/** Stores the documents that the studio's words name, each once; documents that contain a key are not stored. */
export async function putCastSpecs(store: Pick<Store, 'putSpec'>, cast: Cast, cwd: string): Promise<Readonly<Record<Seat, string>>> {
  const specs: Record<Seat, string> = {};
  for (const [seat, word] of Object.entries(cast)) {
    const spec = typeof word === 'string' ? await specToKeep(word, cwd, Trust.request) : word;
    if (typeof word === 'string' && typeof spec !== 'string' && !hasKeys(spec)) specs[seat] = await store.putSpec(spec);
  }
  return specs;
}
