/**
 * @file The journal of the studio's episodes: the data needed to continue an episode, except its log. The latest entries stay
 * in memory. Older ones are read from the store on demand, so a server's memory does not grow with every episode.
 */

import { putStudioRun, studioJournal, studioRun } from '@ludus-agents/agents/internal/workspace/kept-cast';
import type { AgentSpec, Json, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { entryProblem } from '@ludus-agents/store/internal/records';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';

export type LiveEpisode = {
  readonly episode: string;
  readonly environment: string;
  readonly task: Json;
  readonly seed: number;
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  /** Hashes of the specs that the names in the cast referred to at the start. */
  readonly specs?: Readonly<Record<Seat, string>>;
  /** Delay before each turn in milliseconds. */
  readonly pace: number;
  /** The episode that this is a rematch of. */
  readonly after?: string;
  readonly fork?: { readonly episode: string; readonly at: number; readonly seed?: number; readonly answer?: string };
};

type Branch = { readonly id: string; readonly at: number; readonly parent: string };

/** The number of entries, and of branches, in memory. */
const mostRecent = 1000;

export class EpisodeJournal {
  readonly #store: Store;
  readonly #marks: OwnMarks;
  readonly #recent = new Map<string, LiveEpisode>();
  #branches: Branch[] = [];
  #branchCount = 0;
  /** All entries while a page requests old ones; weakly referenced, so garbage collection may free them. */
  #all: WeakRef<Map<string, LiveEpisode>> | null = null;
  /** The number of entries of the stored journal read so far. */
  #length = 0;
  #hasDropped = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(store: Store, place: WorkingFolder) {
    this.#store = store;
    this.#marks = new OwnMarks(place);
  }

  /** The number of entries, branches, and marks in memory. */
  get size(): { readonly entries: number; readonly branches: number; readonly marks: number } {
    return { entries: this.#recent.size, branches: this.#branches.length, marks: this.#marks.size };
  }

  /** Reads what was written since the last time, and returns the entries of this installation. A journal may have been imported, and data is never an order. */
  async read(): Promise<readonly LiveEpisode[]> {
    const from = this.#length;
    const notes = await this.#store.notes(studioRun, studioJournal, from);
    // Another read may have finished first.
    const entries = this.#markedEntries(notes.slice(this.#length - from));
    this.#length = Math.max(this.#length, from + notes.length);
    for (const entry of entries) this.#add(entry);
    return entries;
  }

  async entry(episode: string): Promise<LiveEpisode | undefined> {
    const recent = this.#recent.get(episode);
    if (recent !== undefined || !this.#hasDropped) return recent;
    // Nearly all other episodes belong to other runs: checking that reads one row, not the journal.
    if ((await this.#store.episode(episode))?.run !== studioRun) return undefined;
    return (await this.#readAll()).get(episode);
  }

  async branches(episode: string): Promise<readonly Pick<Branch, 'id' | 'at'>[]> {
    const branches = this.#branchCount === this.#branches.length ? this.#branches : [...(await this.#readAll()).values()].flatMap(branchOf);
    return branches.flatMap(({ id, at, parent }) => (parent === episode ? [{ id, at }] : []));
  }

  /** Writes entries one after the other; if another server wrote in between, after its entries. */
  async write(entry: LiveEpisode): Promise<void> {
    const write = async () => {
      this.#marks.add(entry);
      for (let attempt = 0; ; attempt++) {
        await this.read();
        try {
          await putStudioRun(this.#store);
          await this.#store.note(studioRun, studioJournal, this.#length, [entry]);
          break;
        } catch (thrown) {
          if (attempt === 3) throw thrown;
        }
      }
      await this.read();
    };
    this.#writing = this.#writing.then(write, write);
    await this.#writing;
  }

  #markedEntries(notes: readonly Json[]): readonly LiveEpisode[] {
    return this.#marks.only(notes.filter((note) => entryProblem('studio', studioJournal, note) === null)) as LiveEpisode[];
  }

  #add(entry: LiveEpisode): void {
    this.#recent.set(entry.episode, entry);
    this.#all?.deref()?.set(entry.episode, entry);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > mostRecent) this.#hasDropped = this.#recent.delete(oldest as string);
    if (entry.fork === undefined) return;
    this.#branchCount++;
    this.#branches = [...this.#branches, ...branchOf(entry)].slice(-mostRecent);
  }

  async #readAll(): Promise<ReadonlyMap<string, LiveEpisode>> {
    const before = this.#all?.deref();
    if (before !== undefined) return before;
    const entries = this.#markedEntries(await this.#store.notes(studioRun, studioJournal));
    const all = new Map(entries.map((entry) => [entry.episode, entry]));
    // Entries written in the meantime are among the recent ones.
    for (const [episode, entry] of this.#recent) all.set(episode, entry);
    this.#all = new WeakRef(all);
    return all;
  }
}

function branchOf({ episode, fork }: LiveEpisode): readonly Branch[] {
  return fork === undefined ? [] : [{ id: episode, at: fork.at, parent: fork.episode }];
}
