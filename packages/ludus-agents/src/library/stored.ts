/** @file `store` and `data`: copies, prunes, and deletes stored data, and generates, imports, and exports datasets. */

import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { findEnvironmentId } from '@ludus-agents/agents/internal/workspace/environments';
import type { LastingMemory } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import { addMemory, editMemory, forgetMemory, readLastingMemory } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import { type ImportReport, importAny } from '@ludus-agents/evaluation/internal/conversations/import';
import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { MakeReport, MakeRequest, MakeWork } from '@ludus-agents/learning/internal/datasets/make/dataset';
import { makeDataset, prepareMake } from '@ludus-agents/learning/internal/datasets/make/dataset';
import type { CopyReport } from '@ludus-agents/store/internal/copy';
import { type Bound, readBound } from '@ludus-agents/store/internal/exports/bounds';
import { blockBytes, linesIn } from '@ludus-agents/store/internal/files/lines';
import { checkManifest } from '@ludus-agents/store/internal/files/manifest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { chooseForgotten, type ForgetSelection, readAge, recordForgotten } from '@ludus-agents/store/internal/forgetting';
import { copyStore, type ForgetReport, forgetIn, pruneRun, storedBeforeIn } from '@ludus-agents/store/internal/open-store';
import { isPostgres, readAddress } from '@ludus-agents/store/internal/postgres/address';
import { grantsFor } from '@ludus-agents/store/internal/postgres/migrate';
import { checkAgentPlayed, loadRun, whereOf } from '@ludus-agents/store/internal/stores';
import { type CallOptions, type CallPlace, changeStore, placeOf, type Ref, readStore, type StoreCallOptions } from './refs.ts';

/** A store on a disk or a server, by file or address. */
export interface StoredCallOptions extends CallOptions {
  /** The file or address of the store; the store of the folder by default. */
  readonly store?: string | undefined;
}

const storeAt = (store: string | undefined) => (store === undefined ? {} : { store });

/** The options of `store.copy`. */
export interface CopyRequest extends CallOptions {
  readonly from: Ref<Store>;
  readonly to: Ref<Store>;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/** Copies everything from one store into another; an interrupted copy continues. */
export async function copy({ from, to, onProgress, ...call }: CopyRequest, place: CallPlace = placeOf(call)): Promise<CopyReport> {
  const { signal } = call;
  return readStore({ store: from }, place, (source) =>
    changeStore({ store: to }, place, (target) =>
      copyStore(source, target, { ...(onProgress !== undefined && { onProgress }), ...(signal !== undefined && { signal }) }),
    ),
  );
}

/** The options of `store.prune`. */
export interface PruneRequest extends StoredCallOptions {
  readonly run: string;
  /** Called before anything is removed; false stops. */
  readonly confirm?: ((run: string) => Promise<boolean>) | undefined;
}

/** Removes a run with its episodes, scores, journals and jobs. Null if `confirm` returned false. */
export async function prune(
  request: PruneRequest,
  place: CallPlace = placeOf(request),
): Promise<{ readonly run: string; readonly episodes: number } | null> {
  const run = await readStore(request, place, (store) => loadRun(store, request.run));
  if ((await request.confirm?.(run.id)) === false) return null;
  return { run: run.id, episodes: await pruneRun(whereOf(place, storeAt(request.store)), run.id) };
}

/** The options of `store.forget`: episodes or runs by id, or filters. */
export interface ForgetRequest extends StoredCallOptions {
  readonly ids?: readonly string[] | undefined;
  /** An age, such as "30d". */
  readonly olderThan?: string | undefined;
  /** Everything that names this person. */
  readonly person?: string | undefined;
  readonly run?: string | undefined;
  readonly environment?: string | undefined;
  readonly agent?: string | undefined;
  /** Bounds of scores, such as "return>=1". */
  readonly where?: readonly (Bound | string)[] | undefined;
  /** Only report what would be deleted. */
  readonly dryRun?: boolean | undefined;
  /** Called before anything is deleted; false stops. */
  readonly confirm?: ((selection: ForgetSelection) => Promise<boolean>) | undefined;
}

/** The selected data, and the deleted data with the entry in the audit log; null if nothing was deleted. */
export interface Forgotten {
  readonly selection: ForgetSelection;
  readonly report: (ForgetReport & { readonly audit: string }) | null;
}

/** Deletes stored conversations, and overwrites their bytes. */
export async function forget(request: ForgetRequest, place: CallPlace = placeOf(request)): Promise<Forgotten> {
  const { ids = [], olderThan, person, run, environment, agent, where: bounds } = request;
  const filters = { olderThan, person, run, environment, agent, where: bounds };
  const used = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (ids.length === 0 && used.length === 0)
    throw new Fault(
      'input',
      'Name an episode or a run, or choose episodes with --older-than, --person, --where, --run, --environment, or --agent.',
      { code: 'E_MISSING_OPTION' },
    );
  const where = whereOf(place, storeAt(request.store));
  const id = environment === undefined ? undefined : await findEnvironmentId(environment, place.cwd, place.trust);
  const read = bounds?.map((bound) => (typeof bound === 'string' ? readBound(bound, 'where') : bound));
  const selection = await readStore(request, place, async (store) => {
    const old = olderThan === undefined ? null : new Set(await storedBeforeIn(where, Date.now() - readAge(olderThan)));
    return chooseForgotten(store, { named: ids, run, environment: id, agent, bounds: read, person, old });
  });
  const isEmpty = selection.episodes.length === 0 && selection.runs.length === 0;
  if (request.dryRun === true || isEmpty || (await request.confirm?.(selection)) === false) return { selection, report: null };
  const report = await forgetIn(where, selection);
  const audit = recordForgotten(where, place, report, ids.length > 0 ? 'by id' : used.join(', '));
  return { selection, report: { ...report, audit } };
}

/** The options of `store.memory`. */
export interface MemoryRequest extends StoreCallOptions {
  readonly agent: string;
  readonly add?: string | undefined;
  readonly key?: string | undefined;
  /** The id of a memory whose text is replaced. */
  readonly edit?: string | undefined;
  readonly text?: string | undefined;
  /** Ids of memories to forget, or "all". */
  readonly forget?: readonly string[] | 'all' | undefined;
  /** The maximum number of changes to read. */
  readonly changes?: number | undefined;
}

/** An agent's memories, and the ones that were just forgotten. */
export type AgentMemory = LastingMemory & { readonly forgotten?: readonly string[] };

/** Reads an agent's memories of its episodes, and adds, edits, or forgets memories. */
export async function memory(request: MemoryRequest, place: CallPlace = placeOf(request)): Promise<AgentMemory> {
  const { agent, add, key, edit, text, forget: wanted, changes } = request;
  if (edit !== undefined && text === undefined) throw new Fault('input', '--edit needs the new text: --text "…".');
  return readStore(request, place, async (store) => {
    const before = await readLastingMemory(store, agent, changes);
    const isChanged = [add, edit, wanted].some((change) => change !== undefined);
    if (!isChanged) {
      if (before.version === 0 && before.records.length === 0) await checkAgentPlayed(store, agent);
      return before;
    }
    if (add !== undefined) await addMemory(store, agent, add, key);
    if (edit !== undefined) await editMemory(store, agent, edit, text ?? '');
    const ids = wanted === 'all' ? before.records.map(({ id }) => id) : wanted;
    const forgotten = ids === undefined ? [] : await forgetMemory(store, agent, ids);
    return { ...(await readLastingMemory(store, agent)), ...(forgotten.length > 0 && { forgotten }) };
  });
}

/** The options of `store.roles`. */
export interface RolesRequest extends StoredCallOptions {
  /** The database role of workers. */
  readonly worker?: string | undefined;
  /** The database role of readers. */
  readonly reader?: string | undefined;
}

/** The rights of workers and readers of a PostgreSQL store, as SQL statements for the owner of the schema. */
export async function roles(request: RolesRequest, place: CallPlace = placeOf(request)): Promise<readonly string[]> {
  const { worker, reader } = request;
  const where = whereOf(place, storeAt(request.store));
  if (!isPostgres(where)) throw new Fault('input', 'Roles are for PostgreSQL stores. Use --store postgres://….');
  if (worker === undefined && reader === undefined)
    throw new Fault('input', 'Pass a role with --worker or --reader. Create it first with "create role NAME login".');
  const { schema } = readAddress(where);
  return [
    ...(worker === undefined ? [] : grantsFor(schema, worker, 'worker')),
    ...(reader === undefined ? [] : grantsFor(schema, reader, 'reader')),
  ];
}

/** The options of `data.import`. */
export interface DataImportRequest extends StoreCallOptions {
  /** A file of an export, or of conversations of other programs; "-" is standard input. */
  readonly file: string;
  readonly license?: string | undefined;
  /** Remove personal data, and these words. */
  readonly redact?: readonly string[] | undefined;
}

/** Imports an export, or conversations of other programs, as episodes. Existing data is not changed. */
export async function importData(request: DataImportRequest, place: CallPlace = placeOf(request)): Promise<ImportReport> {
  const { file, license, redact } = request;
  const lines = linesIn(await openInput(file, place));
  return changeStore(request, place, (store) => importAny(store, lines, { file, licence: license, redact }));
}

/** Returns the stream once it is readable: a store must not be created for a missing file. */
async function openInput(file: string, { cwd, stdin }: CallPlace): Promise<Readable> {
  if (file === '-') return stdin;
  const path = resolve(cwd, file);
  if (existsSync(path)) await checkManifest(path);
  const stream = createReadStream(path, { highWaterMark: blockBytes });
  return new Promise((use, refuse) => {
    stream.once('error', (error) => refuse(new Fault('input', `${file} cannot be read: ${reasonOf(error)}.`, { cause: error })));
    // Opening a folder succeeds, and only reading it fails.
    stream.once('readable', () => use(stream));
  });
}

/** The options of `data.make`. */
export interface DataMakeRequest extends MakeRequest, CallOptions {
  /** Called when everything is loaded and before a model is called; false stops. */
  readonly confirm?: ((work: MakeWork) => Promise<boolean>) | undefined;
}

/** Generates data with a pipeline and a model; each item is proved or judged first. Resumable. Null if `confirm` returned false. */
export async function makeData(
  request: DataMakeRequest,
  place: CallPlace = placeOf(request),
): Promise<(MakeReport & { readonly pipeline: string }) | null> {
  const { confirm, cwd: _, signal, ...wanted } = request;
  const work = await prepareMake(wanted, place.cwd, place.trust);
  if ((await confirm?.(work)) === false) return null;
  const report = await makeDataset(work, { cwd: place.cwd, at: new Date(), signal: signal ?? new AbortController().signal });
  return { pipeline: work.pipeline.name, ...report };
}
