/** @file Finds the store to use, and runs and episodes in it by the first letters of their id. */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type EpisodeRecord, Fault, isFault, type RunRecord, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { makeDataFolder } from './folder-trust.ts';

/** The working folder, and its environment variables. */
export interface WorkingFolder {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface StoreOptions {
  readonly store?: string;
  /** Nothing is changed in it. */
  readonly readOnly?: boolean;
}

const usual = '.ludus/ludus.sqlite';

/** The store that is meant: --store, else LUDUS_STORE, else a file below the current folder. */
export function whereOf(place: WorkingFolder, { store }: StoreOptions): string {
  const named = store ?? place.env['LUDUS_STORE'] ?? '';
  const where = named === '' ? usual : named;
  return isFile(where) ? resolve(place.cwd, where) : where;
}

/** Opens a store, creating it if need be, and closes it after `use`. */
export async function withWritableStore<T>(place: WorkingFolder, options: StoreOptions, use: (store: Store) => Promise<T>): Promise<T> {
  return using(makeFolder(place, options), (store) => use(inFolder(store, place.cwd)), options);
}

/** The same for a server: a file is written in its own thread, so that no caller waits for a disk. */
export async function withServerStore<T>(place: WorkingFolder, options: StoreOptions, use: (store: Store) => Promise<T>): Promise<T> {
  return using(makeFolder(place, options), (store) => use(inFolder(store, place.cwd)), { ...options, how: 'threaded' });
}

function makeFolder(place: WorkingFolder, options: StoreOptions): string {
  const where = whereOf(place, options);
  if (isFile(where) && options.readOnly !== true) {
    if (dirname(where) === join(place.cwd, '.ludus')) makeDataFolder(place);
    mkdirSync(dirname(where), { recursive: true });
  }
  return where;
}

/** Opens a store that must be there already. */
export async function withExistingStore<T>(place: WorkingFolder, options: StoreOptions, use: (store: Store) => Promise<T>): Promise<T> {
  const where = whereOf(place, options);
  if (!storeExists(place, options))
    throw new Fault('input', `No store at ${where}. Run an episode first, or pass another --store.`, { code: 'E_NOT_FOUND' });
  return using(where, (store) => use(inFolder(store, place.cwd)), options);
}

const folders = new WeakMap<object, string>();

/** The folder that the names of files in a store are relative to; undefined for a store that was not opened for one. */
export function folderOf(store: object): string | undefined {
  return folders.get(store);
}

/** Says which folder that is. */
export function inFolder(store: Store, cwd: string): Store {
  folders.set(store, cwd);
  return store;
}

export function storeExists(place: WorkingFolder, options: StoreOptions): boolean {
  const where = whereOf(place, options);
  return !isFile(where) || existsSync(where);
}

interface Opening extends StoreOptions {
  readonly how?: 'threaded';
}

async function using<T>(where: string, use: (store: Store) => Promise<T>, { how, readOnly }: Opening): Promise<T> {
  const { openStore, serverStore, redactAddress } = await import('./open-store.ts');
  let store: Store;
  try {
    store = await (how === 'threaded' ? serverStore : openStore)(where, readOnly === undefined ? {} : { readOnly });
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('store', `The store at ${redactAddress(where)} cannot be opened: ${sentenceOf(thrown)}.`, { cause: thrown });
  }
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Not an address like postgres://… and not "memory:". */
function isFile(where: string): boolean {
  return where !== 'memory:' && !/^[a-z][a-z0-9+.-]+:\/\//i.test(where);
}

/** The one episode whose id starts with the typed text. */
export async function findEpisode(store: Store, typed: string): Promise<EpisodeRecord> {
  const matches = typed === '' ? [] : await store.find(typed, 4);
  const exact = matches.find((id) => id === typed);
  if (exact === undefined && matches.length > 1) {
    const text = matches.slice(0, 3).join(', ');
    throw new Fault(
      'input',
      `"${typed}" matches several episodes: ${text}${matches.length > 3 ? ' and others' : ''}. Use a longer prefix.`,
    );
  }
  const id = exact ?? matches[0];
  const record = id === undefined ? null : await store.episode(id);
  if (record === null) {
    const meant = didYouMean(typed, await runNames(store));
    throw new Fault(
      'input',
      `Episode "${typed}" not found in this store. Run "ludus list episodes" to see all.${meant && `${meant} That is a run.`}`,
      { code: 'E_NOT_FOUND' },
    );
  }
  return record;
}

/** The one run whose id equals, or starts with, the typed text; null if there is none. */
export async function findRun(store: Store, typed: string): Promise<RunRecord | null> {
  const exact = await store.run(typed);
  if (exact !== null || typed === '') return exact;
  const runRecords = (await store.runs()).filter((run) => run.id.startsWith(typed));
  if (runRecords.length > 1)
    throw new Fault(
      'input',
      `"${typed}" matches several runs: ${runRecords
        .slice(0, 3)
        .map((run) => run.id)
        .join(', ')}. Use a longer prefix.`,
    );
  return runRecords[0] ?? null;
}

/** The same, but throws if there is none. */
export async function loadRun(store: Store, typed: string): Promise<RunRecord> {
  const run = await findRun(store, typed);
  if (run !== null) return run;
  const [id] = typed === '' ? [] : await store.find(typed, 1);
  const episode = id === undefined ? null : await store.episode(id);
  if (episode !== null) {
    const of = episode.run === null ? ' It was not played in a run.' : ` It belongs to the run "${episode.run}".`;
    throw new Fault(
      'input',
      `"${typed}" is an episode, but a run was expected.${of} "ludus show ${brief(episode.id)}" shows the episode.`,
      {
        code: 'E_NOT_FOUND',
      },
    );
  }
  throw new Fault(
    'input',
    `Run "${typed}" not found in this store. Run "ludus list runs" to see all.${didYouMean(typed, await runNames(store))}`,
    { code: 'E_NOT_FOUND' },
  );
}

export async function runNames(store: Store): Promise<readonly string[]> {
  return (await store.runs()).map(({ id }) => id);
}

/** All agents with a seat in an episode of the store. */
export async function agentNames(store: Store): Promise<readonly string[]> {
  return [...new Set((await store.tally()).flatMap(({ cast }) => Object.values(cast)))];
}

/** A list of the episodes of an unknown agent would be empty, as if nothing had been played. */
export async function checkAgentPlayed(store: Store, agent: string): Promise<void> {
  if ((await store.episodes({ agent, limit: 1 })).length > 0) return;
  const knownNames = await agentNames(store);
  // An empty store has no agents, and its lists say so.
  if (knownNames.length === 0) return;
  throw new Fault(
    'input',
    `No episodes with agent "${agent}" in this store. Run "ludus list episodes" to see which agents have played.${didYouMean(agent, knownNames)}`,
    { code: 'E_NOT_FOUND' },
  );
}

/** As much of an id as a person needs to type. */
export function brief(id: string): string {
  return id.slice(0, 8);
}
