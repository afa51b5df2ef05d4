/**
 * @file Who played a stored episode, found again: in the plan of its run, or in the journal of the studio. What this installation began itself
 * may act again without being asked; what was imported needs consent.
 */

import {
  type AgentSpec,
  type Cast,
  type EpisodeEvent,
  type EpisodeRecord,
  type EpisodeVersions,
  Fault,
  hash,
  type Json,
  type RunRecord,
  recordOf,
  type Seat,
  type StartEvent,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { hasKeys, lacksKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { entryProblem } from '@ludus-agents/store/internal/records';
import { findEpisode, type WorkingFolder } from '@ludus-agents/store/internal/stores';
import { filesOf, markValue, specToKeep } from './cast-run.ts';
import { checkSpec } from './consent.ts';
import { Trust } from './trust.ts';
import { type PlayedSpec, readPlayedSpecs } from './versions.ts';

/** Who played an episode, as the plan of its run has it: by name, or by seat where it has one cast. The log alone has names. */
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

/** Specs that a run was played with later than its plan says, and the fingerprints of an episode: together they say which of them played it. */
interface PlayedBy {
  readonly specs?: readonly PlayedSpec[];
  readonly versions?: EpisodeVersions | undefined;
}

/** Who played a stored episode. */
export async function readCast(
  store: Pick<Store, 'run' | 'notes'>,
  { run, cast, versions }: Pick<EpisodeRecord, 'run' | 'cast' | 'versions'>,
): Promise<Record<Seat, AgentSpec | string>> {
  const seats = Object.keys(cast);
  return run === null
    ? castFrom({ seats, cast }, null)
    : castFrom({ seats, cast }, await store.run(run), { specs: await readPlayedSpecs(store, run), versions });
}

/** As who a kept spec may act again: as the user's own where this installation began it so, else as data, which needs consent. */
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
  checkSpec(spec, Trust.storedData, place);
  return Trust.storedData;
}

/** An episode of a store, with who played it and by which rules, as far as that was kept. */
export interface EpisodeWithCast {
  readonly record: EpisodeRecord;
  readonly log: readonly EpisodeEvent[];
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  /** The rules by name or file, and who names them. */
  readonly rules: { readonly name: string; readonly trust: Trust };
  /** As who the agent of a seat may act again; throws where it may not. */
  admit(seat: Seat): Trust;
}

/** The one episode whose id begins with what was typed. A file with its rules counts as named where this installation played it and it is unchanged. */
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

/** The rules that a run was begun with, by name or file, as far as this installation began it with them and they are unchanged. */
export function ownRules(run: RunRecord, place: WorkingFolder): readonly string[] {
  const marks = new OwnMarks(place);
  return run.plan.environments.map(({ environment }) => environment).filter((name) => marks.has(markValue(run.id, name, place)));
}

/** The run that episodes of the studio's stage belong to, and the journal of what each is made of. */
export const studioRun = 'studio';

/** The run of the page is there from its first episode or conversation on: to look at a store writes nothing into it. */
export async function putStudioRun(store: Pick<Store, 'putRun'>): Promise<void> {
  const plan = { name: studioRun, environments: [], seeds: [], casts: [] };
  await store.putRun({ id: studioRun, plan, episodes: 0, work: { kind: 'studio' } });
}
export const studioJournal = 'episodes';

/** What the journal of the studio says of who sits where: words of the page, and the documents that they meant then. */
type SeatedCast = {
  readonly episode: string;
  readonly environment: string;
  readonly cast: Cast;
  /** Hashes of specs that were files. */
  readonly specs?: Readonly<Record<Seat, string>>;
};

async function findLive(store: Store, episode: string, place: WorkingFolder): Promise<SeatedCast | null> {
  const marks = new OwnMarks(place);
  const notes = await store.notes(studioRun, studioJournal);
  const isIt = (note: Json) =>
    entryProblem('studio', studioJournal, note) === null && (note as SeatedCast).episode === episode && marks.has(note);
  return (notes.findLast(isIt) ?? null) as SeatedCast | null;
}

/** Who sits where: the documents as they were, else what the words mean now. */
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

/** Keeps the documents that words of a page mean, each once; one with a key in it is not kept. */
export async function putCastSpecs(store: Pick<Store, 'putSpec'>, cast: Cast, cwd: string): Promise<Readonly<Record<Seat, string>>> {
  const specs: Record<Seat, string> = {};
  for (const [seat, word] of Object.entries(cast)) {
    const spec = typeof word === 'string' ? await specToKeep(word, cwd, Trust.request) : word;
    if (typeof word === 'string' && typeof spec !== 'string' && !hasKeys(spec)) specs[seat] = await store.putSpec(spec);
  }
  return specs;
}
