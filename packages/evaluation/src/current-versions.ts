/**
 * @file Selects the stored episodes of a run that every reader shows: those of the versions matching the folder's current files, if such a
 * version was played, otherwise those played last. So undoing an edit restores its figures without playing again.
 */

import type { CurrentVersions, NamedVersions, VersionEntry } from '@ludus-agents/agents/internal/workspace/versions';
import { changeText, foldEntries, foldInto, isCurrent, versionJournal } from '@ludus-agents/agents/internal/workspace/versions';
import type { EpisodeRecord, EpisodeTally, Store } from '@ludus-agents/kernel/internal/core/index';
import { folderOf } from '@ludus-agents/store/internal/stores';
import { keyOf, type RecordedMarks, readSourceNotes, recordedMarks, type SourceNote, SourceReader } from './source-notes.ts';

/** The parts of a store that determine a run's current versions. */
export type JournalStore = Pick<Store, 'notes' | 'tally' | 'episodes'>;

/** Reads the current versions of a run. A caller that has already read its journal passes the entries. */
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

/** The episodes that the newest differing invocation played again, as sentences for readers at other terminals. */
export async function readChangeTexts(store: JournalStore, run: string): Promise<readonly string[]> {
  const entries = (await store.notes(run, versionJournal)) as readonly VersionEntry[];
  const { environments = {}, agents = {}, plan, changes = [] } = entries.at(-1) ?? {};
  const current = await readVersions(store, run);
  const marks = [...Object.values(environments), ...Object.values(agents)].flatMap(({ versions }) => versions);
  // If its files were changed back, its figures are not shown.
  if (marks.some((mark) => current.superseded.has(mark)) || (plan !== undefined && plan !== current.plan)) return [];
  return changes.map((change) => changeText(change, run, 'reusing stored episodes keeps them'));
}

/** Whether fingerprints match the current files of a folder. */
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

  /** Also false if it has no files, or if they cannot be read. */
  async has(mark: string): Promise<boolean> {
    const sources = this.#recorded.get(mark);
    if (sources === undefined) return false;
    for (const [key, digests] of sources) if (!digests.has((await this.#digest(key)) ?? '')) return false;
    return true;
  }

  /** Whether one of its files has changed; false for unreadable ones. */
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

/** Whether any part of a run was played in more than one version. */
function hasChoice(entries: readonly VersionEntry[]): boolean {
  if (entries.length < 2) return false;
  const parts = entries.flatMap(({ environments = {}, agents = {}, plan }) => [
    ...Object.keys(environments).map((name) => `environment ${name}`),
    ...Object.keys(agents).map((name) => `agent ${name}`),
    ...(plan === undefined ? [] : ['plan']),
  ]);
  return new Set(parts).size < parts.length;
}

/** The journal's content if the current files had been played; null if it is unchanged. */
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

/** The first entry whose fingerprints all match the current files. */
async function firstOf<T>(candidates: readonly T[], marksOf: (one: T) => readonly string[], files: PresentFiles): Promise<T | null> {
  for (const candidate of candidates) {
    const isPresent = await Promise.all(marksOf(candidate).map((mark) => files.has(mark)));
    if (isPresent.every(Boolean)) return candidate;
  }
  return null;
}

/** The stored episodes that an earlier plan excludes. */
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

/** The entry restricted to episodes that it restores; unchanged if it restores all, null if none. */
function withEpisodes(entry: VersionEntry, tallies: readonly EpisodeTally[]): VersionEntry | null {
  const { environments = {}, agents = {}, ...plan } = entry;
  const names = new Set(tallies.flatMap(({ environment, cast }) => [environment, ...Object.values(cast)]));
  const isShown = ([name]: readonly [string, NamedVersions]) => names.has(name);
  const parts = [environments, agents].map((part) => Object.entries(part).filter(isShown));
  if (parts[0].length + parts[1].length === Object.keys({ ...environments, ...agents }).length && tallies.length > 0) return entry;
  // If names remain, the plan may still exclude the rest.
  const left = { environments: Object.fromEntries(parts[0]), agents: Object.fromEntries(parts[1]) };
  if (parts[0].length + parts[1].length > 0) return { ...left, ...plan };
  return null;
}

/** The current episodes of a run, newest first, in batches. */
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

/** Counts the current episodes of a run, and the others. */
export interface CurrentTally {
  readonly tallies: readonly EpisodeTally[];
  readonly earlier: number;
}

export async function currentTally(store: JournalStore, run: string, versions?: CurrentVersions): Promise<CurrentTally> {
  const current = versions ?? (await readVersions(store, run));
  return currentIn(await store.tally({ run }), current, { store, run });
}

/** The same from existing counts. Counts do not include tasks: if some were dropped, the episodes are read one by one. */
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
