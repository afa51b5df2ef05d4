/** @file Reads an export back into a store, line by line: every record is checked, and a failure names its line. */

import type {
  AgentSpec,
  EpisodeEvent,
  EpisodeVersions,
  JsonObject,
  RunRecord,
  Score,
  Store,
  StoredEpisode,
} from '@ludus-agents/kernel/internal/core/index';
import { equal, Fault, hash, isFault, readEpisodes, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { toAddressed } from './append-rules.ts';
import { fileOf } from './file-store.ts';
import { ImportSection, parseLine, type ReadEpisode, type ReadScores, refuse, refuseDepth } from './import-section.ts';
import { type BlockAhead, blocksOf, ImportThreads, valuesIn } from './import-threads.ts';
import { version } from './jsonl.ts';
import type { Shared } from './pack.ts';
import type { ImportBlock, PackedBlock, PackedLogs } from './packed-block.ts';
import { isPackedStore, type PackedStore } from './packed-logs.ts';
import { entryProblem, runProblem, specProblem } from './records.ts';

/** The result of an import. `continued` episodes were partly stored before, `skipped` ones completely. */
export interface ImportCounts {
  runs: number;
  specs: number;
  episodes: number;
  continued: number;
  skipped: number;
  events: number;
  scores: number;
}

/**
 * Takes lines into a store. Importing twice changes nothing; an episode that differs from the stored one is refused with its line. A long file
 * is checked and packed for a store in a file by `threads` others ahead of this one: by default by one or two where there are cores for them.
 */
export async function importJsonl(store: Store, lines: AsyncIterable<string> | Iterable<string>, threads?: number): Promise<ImportCounts> {
  const file = fileOf(store);
  const helpers = isPackedStore(store) && file !== null ? new ImportThreads(file, threads) : null;
  const reading = new Import(store, () => helpers?.onCommit());
  const ahead: BlockAhead[] = [];
  const takeNext = async () => {
    const { block, packed } = ahead.shift()!;
    await reading.takeBlock(block, packed === null ? null : await packed);
  };
  let last = 0;
  try {
    await helpers?.ready();
    for await (const block of blocksOf(lines)) {
      last = block.from + block.lines.length - 1;
      ahead.push(helpers?.send(block, reading.isNew) ?? { block, packed: null, isPacked: true });
      while (ahead.length > 0 && helpers?.hasRoom(ahead) !== true) await takeNext();
    }
    while (ahead.length > 0) await takeNext();
    await reading.finish(last);
  } finally {
    await helpers?.close();
  }
  return reading.counts;
}

/** Characters of lines that are stored together. */
const mostWeight = 2 ** 22;

/** An episode of the file on its way into the store. */
interface Arrival {
  readonly line: number;
  readonly id: string;
  readonly run: string | null;
  readonly versions?: EpisodeVersions;
  readonly events: readonly EpisodeEvent[];
  readonly scores: Score[];
}

class Import {
  readonly counts: ImportCounts = { runs: 0, specs: 0, episodes: 0, continued: 0, skipped: 0, events: 0, scores: 0 };
  /** Whether the episodes that came last were not stored before. */
  isNew = true;
  readonly #store: Store;
  readonly #onCommit: () => void;
  #section = new ImportSection();
  /** Episodes that are imported together, so that they share commits. */
  #window = new Map<string, Arrival>();
  #weight = 0;
  /** Blocks packed by other threads, to be stored together, and their shared parts. */
  #packed: { readonly block: ImportBlock; readonly logs: PackedLogs }[] = [];
  #parts: Shared[] = [];
  #values: string[] = [];
  #seen = { episodes: 0, events: 0 };
  #open = false;

  constructor(store: Store, onCommit: () => void) {
    this.#store = store;
    this.#onCommit = onCommit;
  }

  /** Lines that follow those before, packed by another thread or not. */
  async takeBlock(block: ImportBlock, packed: PackedBlock | null): Promise<void> {
    if (packed !== null) this.#parts.push(...packed.parts);
    if (packed === null || packed.logs === null || !this.#open) {
      await this.#storePacked();
      await this.#takeLines(block);
      return;
    }
    if (this.#packed.length === 0) await this.#settle();
    this.#packed.push({ block, logs: packed.logs });
    this.#weight += block.size;
    if (this.#weight >= mostWeight) await this.#storePacked();
  }

  async #takeLines({ from, lines }: ImportBlock): Promise<void> {
    for (const [i, line] of lines.entries()) {
      if (line.trim() === '') continue;
      try {
        await this.#take(from + i, line);
      } catch (thrown) {
        throw lineFault(from + i, thrown);
      }
    }
  }

  /** Stores packed data if all of it is new; otherwise, it is read line by line and compared with the stored data. */
  async #storePacked(): Promise<void> {
    const [packed, parts] = [this.#packed, this.#parts];
    if (packed.length === 0 && parts.length === 0) return;
    [this.#packed, this.#parts, this.#weight] = [[], [], 0];
    const isWritten = await (this.#store as Store & PackedStore)
      .writePacked(
        parts,
        packed.map(({ logs }) => logs.rows),
      )
      .catch((thrown: unknown) => {
        const first = packed[0];
        throw first === undefined ? thrown : lineFault(first.block.from + first.logs.line, thrown);
      });
    if (!isWritten) {
      this.isNew = false;
      for (const { block } of packed) await this.#takeLines(block);
      return;
    }
    this.#onCommit();
    const { counts } = this;
    for (const { block, logs } of packed) {
      const { logs: episodes, events, scores } = logs.rows;
      this.#seen.episodes += episodes;
      this.#seen.events += events;
      counts.episodes += episodes;
      counts.events += events;
      counts.scores += scores.length / 2;
      for (const line of valuesIn(block)) this.#values.push(line);
    }
  }

  async #take(number: number, text: string): Promise<void> {
    // Values of blocks that others packed: only a line that is read here needs them.
    for (const line of this.#values) this.#section.addValue(parseLine(line));
    this.#values = [];
    const usual = this.#open ? this.#section.readUsual(text) : null;
    if (usual !== null) {
      await this.#add(number, usual, text.length);
      return;
    }
    const line = parseLine(text);
    const kind = line['kind'];
    if (!this.#open && kind !== 'ludus')
      throw new Error('expected {"kind":"ludus",…}, the first line of an export, but got something else');
    if (kind === 'episode') {
      await this.#add(number, this.#section.readEpisode(line, text), text.length);
      return;
    }
    refuseDepth(text);
    if (kind === 'ludus') this.#begin(line);
    else if (kind === 'run') await this.#run(line['run'] as RunRecord);
    else if (kind === 'notes') await this.#notes(line);
    else if (kind === 'spec') await this.#spec(line['spec'] as AgentSpec);
    else if (kind === 'value') this.#section.addValue(line);
    else if (kind === 'forget') this.#section = new ImportSection();
    else if (kind === 'scores') await this.#add(number, this.#section.readScores(line), text.length);
    else if (kind === 'end') await this.#end(line);
    else throw new Error(`unknown kind of line: ${JSON.stringify(kind)}`);
  }

  /** The last episodes go in; a file without its last line is recognized as incomplete. */
  async finish(lines: number): Promise<void> {
    await this.#storePacked();
    await this.#settle();
    if (!this.#open && lines > 0) return;
    const { episodes } = this.counts;
    throw new Fault(
      'input',
      `The file ends after line ${lines} without the last line of an export, so it is incomplete. ${episodes} new episodes were stored.`,
    );
  }

  #begin(line: JsonObject): void {
    if (line['version'] !== version)
      throw new Error(
        `expected version ${version} of the format, but got ${JSON.stringify(line['version'])}; a newer version of Ludus may be able to read it`,
      );
    this.#open = true;
    this.#seen = { episodes: 0, events: 0 };
    this.#section = new ImportSection();
  }

  async #end(line: JsonObject): Promise<void> {
    await this.#settle();
    const { episodes, events } = this.#seen;
    if (line['episodes'] !== episodes || line['events'] !== events)
      throw new Error(
        `expected ${line['episodes']} episodes with ${line['events']} events before this line, but got ${episodes} with ${events}`,
      );
    this.#open = false;
  }

  async #run(run: RunRecord): Promise<void> {
    refuse(runProblem(run));
    if ((await this.#store.run(run.id)) !== null) return;
    await this.#store.putRun(run);
    this.counts.runs++;
  }

  async #notes({ run, journal, entries }: JsonObject): Promise<void> {
    if (typeof run !== 'string' || typeof journal !== 'string' || !Array.isArray(entries))
      throw new Error('expected the journal entries of a run');
    const kind = (await this.#store.run(run))?.work?.kind;
    for (const [i, entry] of entries.entries()) {
      const problem = entryProblem(kind, journal, entry);
      if (problem !== null) refuse(`entry ${i}: ${problem}`);
    }
    const stored = await this.#store.notes(run, journal);
    const shared = Math.min(stored.length, entries.length);
    if (!equal(stored.slice(0, shared), entries.slice(0, shared)))
      throw new Error(
        `the journal "${journal}" of run "${run}" is already stored with different contents; rename the run, or import into another store`,
      );
    await this.#store.note(run, journal, stored.length, entries.slice(stored.length));
  }

  async #spec(spec: AgentSpec): Promise<void> {
    refuse(specProblem(spec));
    if ((await this.#store.spec(hash(spec))) !== null) return;
    await this.#store.putSpec(spec);
    this.counts.specs++;
  }

  async #add(line: number, read: ReadEpisode | ReadScores, weight: number): Promise<void> {
    if ('events' in read) await this.#addEpisode({ line, ...read, scores: [] }, weight);
    else this.#addScores(line, read);
  }

  async #addEpisode(arrival: Arrival, weight: number): Promise<void> {
    this.#seen.episodes++;
    this.#seen.events += arrival.events.length;
    if (this.#window.has(arrival.id) || this.#window.size >= 500 || this.#weight >= mostWeight) await this.#settle();
    this.#window.set(arrival.id, arrival);
    this.#weight += weight;
  }

  #addScores(line: number, { episode: id, scores }: ReadScores): void {
    const arrival = this.#window.get(id) ?? { line, id, run: null, events: [], scores: [] };
    this.#window.set(id, arrival);
    for (const score of scores) arrival.scores.push(score);
  }

  /** First everything is read, then everything is written: a read in between would end the batch of writes. */
  async #settle(): Promise<void> {
    const window = [...this.#window.values()];
    this.#window = new Map();
    this.#weight = 0;
    const [first] = window;
    if (first === undefined) return;
    const stored = await this.#stored(window.map(({ id }) => id)).catch((thrown: unknown) => {
      throw lineFault(first.line, thrown);
    });
    this.isNew = stored.size === 0;
    const missing = window.map((arrival) => missingOf(arrival, stored.get(arrival.id)));
    // All are waited for, then the first failure is thrown: none is left running behind the caller's back.
    const written = await Promise.allSettled(window.map((arrival, i) => this.#write(arrival, missing[i]!)));
    written.forEach((outcome, i) => {
      if (outcome.status === 'rejected') throw lineFault(window[i]!.line, outcome.reason);
    });
  }

  /** Mostly nothing is stored yet, and one question tells so. */
  async #stored(ids: readonly string[]): Promise<ReadonlyMap<string, StoredEpisode>> {
    const episodes = await readEpisodes(this.#store, ids, { record: true });
    const there = ids.filter((id) => (episodes.get(id)?.record ?? null) !== null);
    return there.length === 0 ? new Map() : readEpisodes(this.#store, there, { events: true, scores: true });
  }

  async #write({ id, run, versions, events }: Arrival, { from, scores }: Missing): Promise<void> {
    const fresh = from === 0 ? events : events.slice(from);
    const { counts } = this;
    await Promise.all([
      this.#store.append(id, from, fresh, run ?? undefined, undefined, versions),
      scores.length === 0 ? undefined : this.#store.putScores(id, scores),
    ]);
    if (from === 0) counts.episodes++;
    else if (fresh.length > 0) counts.continued++;
    else if (events.length > 0) counts.skipped++;
    counts.events += fresh.length;
    counts.scores += scores.length;
  }
}

/** The part of an arrival that the store lacks. */
interface Missing {
  readonly from: number;
  readonly scores: readonly Score[];
}

/** The part that is not stored yet; an episode that differs from the stored one is rejected. */
function missingOf({ line, id, events, scores }: Arrival, before: StoredEpisode | undefined): Missing {
  const stored = before?.events ?? [];
  for (let i = 0; i < Math.min(stored.length, events.length); i++)
    if (!equal(stored[i], events[i]))
      throw lineFault(
        line,
        new Error(`episode "${id}" is already stored and differs from event ${i} on; rename one, or import into another store`),
      );
  const knownNames = new Set((before?.scores ?? []).map((score) => toAddressed(score).address));
  return {
    from: stored.length,
    scores: knownNames.size === 0 ? scores : scores.filter((score) => !knownNames.has(toAddressed(score).address)),
  };
}

/** A fault that names its line already: an episode may fail while a later line is being read. */
class LineFault extends Fault {}

function lineFault(line: number, thrown: unknown): LineFault {
  if (thrown instanceof LineFault) return thrown;
  const sentence = sentenceOf(thrown).replace(/\.?$/, '.');
  return new LineFault(isFault(thrown) ? thrown.boundary : 'input', `Line ${line}: ${sentence}`, { cause: thrown });
}
