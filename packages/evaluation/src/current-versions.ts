/**
 * @file Which stored episodes of a run every reader shows: those of the versions that the files of the folder are now, where such a version was
 * played, and else those that were played last. An edit that is undone so brings back its figures without being played again.
 */

import {
  type CurrentVersions,
  changeText,
  foldEntries,
  foldInto,
  isCurrent,
  type NamedVersions,
  type VersionEntry,
  versionJournal,
} from '@ludus-agents/agents/internal/workspace/versions';
import type { EpisodeRecord, EpisodeTally, Store } from '@ludus-agents/kernel/internal/core/index';
import { folderOf } from '@ludus-agents/store/internal/stores';
import { keyOf, type RecordedMarks, readSourceNotes, recordedMarks, type SourceNote, SourceReader } from './source-notes.ts';

/** What of a store is read to find out what a run is about. */
export type JournalStore = Pick<Store, 'notes' | 'tally' | 'episodes'>;

/** Reads what the episodes of a run are about now. A caller that has read its journal already passes the entries. */
export async function readVersions(store: JournalStore, run: string, journal?: readonly unknown[]): Promise<CurrentVersions> {
  const entries = (journal ?? (await store.notes(run, versionJournal))) as readonly VersionEntry[];
  const played = foldEntries(entries);
  const cwd = folderOf(store);
  if (cwd === undefined || !hasChoice(entries)) return played;
  const files = new PresentFiles(await readSourceNotes(store, run), cwd, run);
  let entry = await entryOfFiles(entries, played, files);
  while (entry !== null) {
    const versions = foldInto(played, entry);
    const { tallies } = await currentIn(await store.tally({ run }), versions, { store, run });
    const remaining = withEpisodes(entry, tallies);
    if (remaining === entry) return versions;
    entry = remaining;
  }
  return played;
}

/** What the newest invocation that differed from the one before it played again: as sentences, for a reader that is not at its terminal. */
export async function readChangeTexts(store: JournalStore, run: string): Promise<readonly string[]> {
  const entries = (await store.notes(run, versionJournal)) as readonly VersionEntry[];
  const { environments = {}, agents = {}, plan, changes = [] } = entries.at(-1) ?? {};
  const current = await readVersions(store, run);
  const marks = [...Object.values(environments), ...Object.values(agents)].flatMap(({ versions }) => versions);
  // Where its files were changed back, its figures are not shown.
  if (marks.some((mark) => current.superseded.has(mark)) || (plan !== undefined && plan !== current.plan)) return [];
  return changes.map((change) => changeText(change, run, 'reusing stored episodes keeps them'));
}

/** Whether fingerprints are what the files of a folder are now. */
export class PresentFiles {
  readonly #recorded: RecordedMarks;
  readonly #last: ReadonlyMap<string, SourceNote>;
  readonly #reader: SourceReader;
  readonly #digests = new Map<string, Promise<string | null>>();

  constructor(notes: readonly SourceNote[], cwd: string, run: string) {
    this.#recorded = recordedMarks(notes);
    this.#last = new Map(notes.map((note) => [keyOf(note), note]));
    this.#reader = new SourceReader(cwd, run);
  }

  /** False also where it has no files, or where they cannot be read. */
  async has(mark: string): Promise<boolean> {
    const sources = this.#recorded.get(mark);
    if (sources === undefined) return false;
    for (const [key, digests] of sources) if (!digests.has((await this.#digest(key)) ?? '')) return false;
    return true;
  }

  /** Whether a file of it is something else now; one that cannot be read is not. */
  async isChanged(mark: string): Promise<boolean> {
    for (const [key, digests] of this.#recorded.get(mark) ?? []) {
      const digest = await this.#digest(key);
      if (digest !== null && !digests.has(digest)) return true;
    }
    return false;
  }

  #digest(key: string): Promise<string | null> {
    const digest = this.#digests.get(key) ?? this.#reader.digest(this.#last.get(key)!);
    this.#digests.set(key, digest);
    return digest;
  }
}

/** Whether something of a run was played in more than one version. */
function hasChoice(entries: readonly VersionEntry[]): boolean {
  if (entries.length < 2) return false;
  const parts = entries.flatMap(({ environments = {}, agents = {}, plan }) => [
    ...Object.keys(environments).map((name) => `environment ${name}`),
    ...Object.keys(agents).map((name) => `agent ${name}`),
    ...(plan === undefined ? [] : ['plan']),
  ]);
  return new Set(parts).size < parts.length;
}

/** What the journal would say had the files been played as they are now; null where that is what it says. */
async function entryOfFiles(entries: readonly VersionEntry[], played: CurrentVersions, files: PresentFiles): Promise<VersionEntry | null> {
  const earlierIn = async (part: 'environments' | 'agents') => {
    const earlier: Record<string, NamedVersions> = {};
    for (const [name, now] of played[part]) {
      const candidates = entries.flatMap((entry) => entry[part]?.[name] ?? []).reverse();
      if (candidates.length < 2) continue;
      const whole = candidates.filter(({ versions }) => !versions.some((mark) => played.mixed.has(mark)));
      const match = await firstOf(whole, ({ versions }) => versions, files);
      if (match !== null && match.versions.join() !== now.versions.join()) earlier[name] = match;
    }
    return earlier;
  };
  const plans = [...entries.keys()].filter((at) => entries[at].plan !== undefined).reverse();
  const at = plans.length < 2 ? null : await firstOf(plans, (index) => [entries[index].plan!], files);
  const plan = at === null || entries[at].plan === played.plan ? null : planAt(entries, at);
  const [environments, agents] = [await earlierIn('environments'), await earlierIn('agents')];
  const names = { ...environments, ...agents };
  return plan === null && Object.keys(names).length === 0 ? null : { environments, agents, ...plan };
}

/** The first whose fingerprints are all what the files are now. */
async function firstOf<T>(candidates: readonly T[], marksOf: (one: T) => readonly string[], files: PresentFiles): Promise<T | null> {
  for (const candidate of candidates) {
    const isPresent = await Promise.all(marksOf(candidate).map((mark) => files.has(mark)));
    if (isPresent.every(Boolean)) return candidate;
  }
  return null;
}

/** What an earlier plan leaves out of what is stored by now. */
function planAt(entries: readonly VersionEntry[], at: number): VersionEntry {
  const { dropped, droppedTasks, tasks, plan } = foldEntries(entries.slice(0, at + 1));
  const later = entries.slice(at + 1).flatMap(({ added }) => added ?? []);
  return {
    dropped: [...new Set([...dropped, ...later.flatMap(({ casts }) => casts)])],
    droppedTasks: [...new Set([...droppedTasks, ...later.flatMap((added) => added.tasks)])],
    ...(tasks === null ? {} : { tasks }),
    ...(plan === null ? {} : { plan }),
  };
}

/** The entry as far as it brings back episodes; itself where all of it does, null where nothing does. */
function withEpisodes(entry: VersionEntry, tallies: readonly EpisodeTally[]): VersionEntry | null {
  const { environments = {}, agents = {}, ...plan } = entry;
  const names = new Set(tallies.flatMap(({ environment, cast }) => [environment, ...Object.values(cast)]));
  const isShown = ([name]: readonly [string, NamedVersions]) => names.has(name);
  const parts = [environments, agents].map((part) => Object.entries(part).filter(isShown));
  if (parts[0].length + parts[1].length === Object.keys({ ...environments, ...agents }).length && tallies.length > 0) return entry;
  // Where names remain, the plan may still be what hides the rest.
  const left = { environments: Object.fromEntries(parts[0]), agents: Object.fromEntries(parts[1]) };
  if (parts[0].length + parts[1].length > 0) return { ...left, ...plan };
  return null;
}

/** The episodes of a run that are about the present, newest first, some at a time. */
export async function* currentRecords(store: JournalStore, run: string, versions?: CurrentVersions): AsyncGenerator<EpisodeRecord> {
  const current = versions ?? (await readVersions(store, run));
  for (let [before, full] = [{}, true]; full; ) {
    const records = await store.episodes({ run, limit: page, ...before });
    for (const record of records) if (isCurrent(record, current)) yield record;
    full = records.length === page;
    before = full ? { before: records.at(-1)!.order } : {};
  }
}

const page = 500;

/** The episodes of a run that are about the present, counted, and how many are not. */
export interface CurrentTally {
  readonly tallies: readonly EpisodeTally[];
  readonly earlier: number;
}

export async function currentTally(store: JournalStore, run: string, versions?: CurrentVersions): Promise<CurrentTally> {
  const current = versions ?? (await readVersions(store, run));
  return currentIn(await store.tally({ run }), current, { store, run });
}

/** The same of what was counted already. Counts do not know tasks: where some were dropped, the episodes are read one by one. */
export async function currentIn(
  tallies: readonly EpisodeTally[],
  current: CurrentVersions,
  { store, run }: { readonly store: JournalStore; readonly run: string },
): Promise<CurrentTally> {
  const total = (of: readonly EpisodeTally[]) => of.reduce((sum, tally) => sum + tally.count, 0);
  if (current.droppedTasks.size === 0) {
    const present = tallies.filter((tally) => isCurrent(tally, current));
    return { tallies: present, earlier: total(tallies) - total(present) };
  }
  const alike = new Map<string, EpisodeTally>();
  for await (const record of currentRecords(store, run, current)) {
    const { environment, cast, versions, status, returns } = record;
    const key = JSON.stringify([environment, cast, versions, status, returns]);
    const { count = 0 } = alike.get(key) ?? {};
    alike.set(key, { environment, cast, status, returns, ...(versions === undefined ? {} : { versions }), count: count + 1 });
  }
  const present = [...alike.values()];
  return { tallies: present, earlier: total(tallies) - total(present) };
}
