/**
 * @file Logs as lines of JSON: lossless, streamed both ways, and no longer than the store itself.
 *
 * A file opens with a header and closes with counts, so that one that was cut off is noticed. Each shared value (see pack.ts) has a line of
 * its own before the first episode that needs it; "forget" means that none of them is referred to again, which bounds the memory of both
 * ends.
 */

import {
  type AgentSpec,
  type EpisodeEvent,
  type EpisodeQuery,
  type EpisodeRecord,
  equal,
  Fault,
  hash,
  isFault,
  type Json,
  type JsonObject,
  type RunRecord,
  readEpisodes,
  type Score,
  type Store,
  type StoredEpisode,
  sentenceOf,
} from '../core/index.ts';
import { addressOf, Packer, type Piece, type Shared, Unpacker } from './pack.ts';
import { isPackedStore, type PackedLog, type PackedStore } from './packed-logs.ts';
import { portionsOf } from './portions.ts';
import { deepest, entryProblem, eventProblem, isTextTooDeep, runProblem, scoreProblem, specProblem } from './records.ts';

/** What an import added. `continued` episodes were stored in part before, `skipped` ones in full. */
export interface ImportCounts {
  runs: number;
  specs: number;
  episodes: number;
  continued: number;
  skipped: number;
  events: number;
  scores: number;
}

const version = 1;

/** Everything in a store, or the episodes a query finds with their runs, agents' specs and scores: line by line, oldest episode first. */
export async function* exportJsonl(store: Store, query: EpisodeQuery = {}): AsyncGenerator<string, void, undefined> {
  const { episodes, runs, agents } = await selectEpisodes(store, query);
  const all = Object.values(query).every((value) => value === undefined);
  const counts = { episodes: 0, events: 0 };
  yield JSON.stringify({ kind: 'ludus', version });
  for (const run of await store.runs()) {
    if (!all && !runs.has(run.id)) continue;
    yield JSON.stringify({ kind: 'run', run });
    for (const journal of Object.keys(await store.journals(run.id)))
      yield JSON.stringify({ kind: 'notes', run: run.id, journal, entries: await store.notes(run.id, journal) });
  }
  for (const spec of await lineage(store, all ? null : agents)) yield JSON.stringify({ kind: 'spec', spec });
  for await (const { id, run, log, parts, isAnew } of isPackedStore(store) ? storedLogs(store, episodes) : packedLogs(store, episodes)) {
    if (isAnew) yield JSON.stringify({ kind: 'forget' });
    for (const part of parts) yield valueLine(part);
    yield `{"kind":"episode","id":${JSON.stringify(id)},"run":${JSON.stringify(run)},"events":[${log.events}]}`;
    if (log.scores !== '') yield `{"kind":"scores","episode":${JSON.stringify(id)},"scores":[${log.scores}]}`;
    counts.episodes++;
    counts.events += log.count;
  }
  yield JSON.stringify({ kind: 'end', ...counts });
}

type Named = Pick<EpisodeRecord, 'id' | 'run' | 'events'>;

/** An episode to be written, with the shared parts that were not written since the last `isAnew`: before such a one all are forgotten. */
interface PackedEpisode extends Pick<Named, 'id' | 'run'> {
  readonly log: PackedLog;
  readonly parts: readonly Shared[];
  readonly isAnew: boolean;
}

/** From a store that packs as exports do: texts are passed on as they are. */
async function* storedLogs(store: PackedStore, episodes: readonly Named[]): AsyncGenerator<PackedEpisode, void, undefined> {
  const known = new Set<string>();
  let size = 0;
  for (const some of portionsOf(episodes)) {
    const stored = await store.packedLogs(some.map(({ id }) => id));
    for (const { id, run } of some) {
      const log = stored.get(id) ?? { count: 0, events: '', scores: '' };
      const isAnew = size >= remembered;
      if (isAnew) {
        known.clear();
        size = 0;
      }
      const parts = await store.partsOf(log.events, (address) => known.has(address));
      for (const { hash: address, part } of parts) {
        known.add(address);
        size += part.length;
      }
      yield { id, run, log, parts, isAnew };
    }
  }
}

/** From any other store: logs are packed here. */
async function* packedLogs(store: Store, episodes: readonly Named[]): AsyncGenerator<PackedEpisode, void, undefined> {
  let parts: Shared[] = [];
  const packer = new Packer((part) => parts.push(part));
  for (const some of portionsOf(episodes)) {
    const ids = some.map(({ id }) => id);
    const stored = await readEpisodes(store, ids, { events: true, scores: true });
    for (const { id, run } of some) {
      const { events = [], scores = [] } = stored.get(id) ?? {};
      const isAnew = packer.size >= remembered;
      if (isAnew) packer.forget();
      parts = [];
      const packed = packer.packAll(events, (i) => `event ${i}`);
      yield { id, run, log: { count: events.length, events: packed, scores: JSON.stringify(scores).slice(1, -1) }, parts, isAnew };
    }
  }
}

function valueLine({ hash: address, parent, part }: Shared): string {
  return `{"kind":"value","hash":"${address}","parent":${JSON.stringify(parent)},"part":${part}}`;
}

/** Characters of shared values after which an export starts anew. */
const remembered = 2 ** 24;

/** Which episodes to export, oldest first, and whose names to replace. Only names of episodes are in memory. */
async function selectEpisodes(store: Store, query: EpisodeQuery) {
  const episodes: Named[] = [];
  const runs = new Set<string | null>();
  const agents = new Set<string>();
  let left = query.limit ?? Infinity;
  let from: Pick<EpisodeQuery, 'before'> = {};
  while (left > 0) {
    const page = await store.episodes({ ...query, ...from, limit: Math.min(left, 1000) });
    for (const { id, run, cast, events } of page) {
      episodes.push({ id, run, events });
      runs.add(run);
      for (const agent of Object.values(cast)) agents.add(agent);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    from = { before: last.order };
    left -= page.length;
  }
  return { episodes: episodes.reverse(), runs, agents };
}

/** The specs of some agents with those they descend from, or all specs; parents first, as they were stored. */
async function lineage(store: Store, agents: ReadonlySet<string> | null): Promise<readonly AgentSpec[]> {
  const all = await store.specs();
  if (agents === null) return all.map(({ spec }) => spec);
  const parents = new Map(all.map(({ hash, spec }) => [hash, spec.parent]));
  const kept = new Set<string>();
  for (const { hash, spec } of all) {
    if (!agents.has(spec.name)) continue;
    for (let at: string | undefined = hash; at !== undefined && !kept.has(at); at = parents.get(at)) kept.add(at);
  }
  return all.filter(({ hash }) => kept.has(hash)).map(({ spec }) => spec);
}

/** Takes lines into a store. Importing twice changes nothing; an episode that differs from the stored one is refused with its line. */
export async function importJsonl(store: Store, lines: AsyncIterable<string> | Iterable<string>): Promise<ImportCounts> {
  const reading = new Import(store);
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    await at(number, () => reading.take(number, line));
  }
  await reading.finish(number);
  return reading.counts;
}

/** An episode of the file on its way into the store. */
interface Arrival {
  readonly line: number;
  readonly id: string;
  readonly run: string | null;
  readonly events: readonly EpisodeEvent[];
  readonly scores: Score[];
}

class Import {
  readonly counts: ImportCounts = { runs: 0, specs: 0, episodes: 0, continued: 0, skipped: 0, events: 0, scores: 0 };
  readonly #store: Store;
  readonly #pieces = new Map<string, Piece>();
  /** Episodes that are taken in together, so that they share commits. */
  #window = new Map<string, Arrival>();
  #weight = 0;
  #seen = { episodes: 0, events: 0 };
  #open = false;

  constructor(store: Store) {
    this.#store = store;
  }

  async take(number: number, text: string): Promise<void> {
    const line = parseLine(text);
    const kind = line['kind'];
    if (!this.#open && kind !== 'ludus') throw new Error('expected {"kind":"ludus",…}, which opens an export, but found something else');
    if (kind === 'ludus') this.#begin(line);
    else if (kind === 'run') await this.#run(line['run'] as unknown as RunRecord);
    else if (kind === 'notes') await this.#notes(line);
    else if (kind === 'spec') await this.#spec(line['spec'] as unknown as AgentSpec);
    else if (kind === 'value') this.#value(line);
    else if (kind === 'forget') this.#pieces.clear();
    else if (kind === 'episode') await this.#episode(number, line, text.length);
    else if (kind === 'scores') this.#scores(number, line);
    else if (kind === 'end') await this.#end(line);
    else throw new Error(`expected a line of a kind this version knows, but found ${JSON.stringify(kind)}`);
  }

  /** The last episodes go in; a file without its last line is recognised as incomplete. */
  async finish(lines: number): Promise<void> {
    await this.#settle();
    if (!this.#open && lines > 0) return;
    const { episodes } = this.counts;
    throw new Fault(
      'input',
      `The file stops after line ${lines} without the line that ends an export, so it was cut off; ${episodes} new episodes are stored.`,
    );
  }

  #begin(line: JsonObject): void {
    if (line['version'] !== version)
      throw new Error(`expected version ${version} of the format, but found ${JSON.stringify(line['version'])}; a newer Ludus may read it`);
    this.#open = true;
    this.#seen = { episodes: 0, events: 0 };
    this.#pieces.clear();
  }

  async #end(line: JsonObject): Promise<void> {
    await this.#settle();
    const { episodes, events } = this.#seen;
    if (line['episodes'] !== episodes || line['events'] !== events)
      throw new Error(
        `expected ${line['episodes']} episodes with ${line['events']} events before this, but ${episodes} with ${events} came`,
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
      throw new Error('expected the entries of a journal of a run');
    const kind = (await this.#store.run(run))?.work?.kind;
    for (const [i, entry] of entries.entries()) {
      const problem = entryProblem(kind, journal, entry);
      if (problem !== null) refuse(`entry ${i}: ${problem}`);
    }
    const stored = await this.#store.notes(run, journal);
    const shared = Math.min(stored.length, entries.length);
    if (!equal(stored.slice(0, shared), entries.slice(0, shared)))
      throw new Error(
        `the journal "${journal}" of run "${run}" is stored already and differs; rename the run, or import into another store`,
      );
    await this.#store.note(run, journal, stored.length, entries.slice(stored.length));
  }

  async #spec(spec: AgentSpec): Promise<void> {
    refuse(specProblem(spec));
    if ((await this.#store.spec(hash(spec as unknown as Json))) !== null) return;
    await this.#store.putSpec(spec);
    this.counts.specs++;
  }

  #value({ hash: address, parent = null, part = null }: JsonObject): void {
    if (parent !== null && typeof parent !== 'string') throw new Error('expected the hash of the value before this one, or null');
    if (typeof address !== 'string' || addressOf(parent, JSON.stringify(part)) !== address)
      throw new Error(`expected the value with the hash ${String(address).slice(0, 12)}…, but this one has another; the line was changed`);
    this.#pieces.set(address, { parent, part });
  }

  async #episode(line: number, { id, run = null, events }: JsonObject, weight: number): Promise<void> {
    if (typeof id !== 'string' || !Array.isArray(events)) throw new Error('expected an episode with an id and events');
    if (run !== null && typeof run !== 'string') throw new Error('expected the id of a run, or null');
    this.#seen.episodes++;
    this.#seen.events += events.length;
    const unpacker = new Unpacker((address) => this.#pieces.get(address));
    const log = unpacker.unpack(events) as unknown as EpisodeEvent[];
    for (const [i, event] of log.entries()) refuse(eventProblem(event, i));
    if (this.#window.has(id) || this.#window.size >= 500 || this.#weight >= 2 ** 22) await this.#settle();
    this.#window.set(id, { line, id, run: run as string | null, events: log, scores: [] });
    this.#weight += weight;
  }

  #scores(line: number, { episode: id, scores }: JsonObject): void {
    if (typeof id !== 'string' || !Array.isArray(scores)) throw new Error('expected the scores of an episode');
    for (const score of scores) refuse(scoreProblem(score));
    const arrival = this.#window.get(id) ?? { line, id, run: null, events: [], scores: [] };
    this.#window.set(id, arrival);
    arrival.scores.push(...(scores as unknown as Score[]));
  }

  /** First everything is read, then everything is written: a read in between would end the batch of writes. */
  async #settle(): Promise<void> {
    const window = [...this.#window.values()];
    this.#window = new Map();
    this.#weight = 0;
    const [first] = window;
    if (first === undefined) return;
    const ids = window.map(({ id }) => id);
    const stored = await at(first.line, () => readEpisodes(this.#store, ids, { events: true, scores: true }));
    const missing = await together(window.map((arrival) => at(arrival.line, async () => missingOf(arrival, stored.get(arrival.id)))));
    await together(window.map((arrival, i) => at(arrival.line, () => this.#add(arrival, missing[i]!))));
  }

  async #add({ id, run, events }: Arrival, { from, scores }: Missing): Promise<void> {
    const fresh = events.slice(from);
    const { counts } = this;
    await Promise.all([
      this.#store.append(id, from, fresh, run ?? undefined),
      scores.length === 0 ? undefined : this.#store.putScores(id, scores),
    ]);
    if (from === 0) counts.episodes++;
    else if (fresh.length > 0) counts.continued++;
    else if (events.length > 0) counts.skipped++;
    counts.events += fresh.length;
    counts.scores += scores.length;
  }
}

/** What the store lacks of an arrival. */
interface Missing {
  readonly from: number;
  readonly scores: readonly Score[];
}

/** What is not stored yet; an episode that differs from the stored one is refused. */
function missingOf({ id, events, scores }: Arrival, before: StoredEpisode | undefined): Missing {
  const stored = before?.events ?? [];
  for (let i = 0; i < Math.min(stored.length, events.length); i++)
    if (!equal(stored[i] as unknown as Json, events[i] as unknown as Json))
      throw new Error(`episode "${id}" is stored already and differs from event ${i} on; rename one, or import into another store`);
  const known = new Set((before?.scores ?? []).map((score) => hash(score as unknown as Json)));
  return {
    from: stored.length,
    scores: known.size === 0 ? scores : scores.filter((score) => !known.has(hash(score as unknown as Json))),
  };
}

/** Waits for all, then throws the first failure: none is left running behind the caller's back. */
async function together<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** A fault that names its line already: an episode may fail while a later line is being read. */
class LineFault extends Fault {}

async function at<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof LineFault) throw thrown;
    const sentence = sentenceOf(thrown).replace(/\.?$/, '.');
    throw new LineFault(isFault(thrown) ? thrown.boundary : 'input', `Line ${line}: ${sentence}`, { cause: thrown });
  }
}

function refuse(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

function parseLine(text: string): JsonObject {
  let line: Json;
  try {
    line = JSON.parse(text);
  } catch {
    throw new Error(`expected a JSON object, but found ${JSON.stringify(text.slice(0, 40))}`);
  }
  if (line === null || typeof line !== 'object' || Array.isArray(line))
    throw new Error(`expected a JSON object, but found ${text.slice(0, 40)}`);
  if (isTextTooDeep(text)) throw new Error(`expected JSON of at most ${deepest} levels, but this line nests deeper`);
  return line as JsonObject;
}
