/** @file A store in memory, for tests and temporary logs. It has the same rules and packing as on disk. */

import type {
  AgentSpec,
  EpisodeEvent,
  EpisodeQuery,
  EpisodeRecord,
  EpisodeTally,
  EpisodeVersions,
  FoundEpisodes,
  Json,
  RunRecord,
  RunTimes,
  Score,
  StartEvent,
  Store,
  StoreCatalog,
} from '@ludus-agents/kernel/internal/core/index';
import { withoutKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import {
  advance,
  checkLimit,
  checkName,
  closedFault,
  entriesFor,
  type LogLength,
  markHandled,
  portionOf,
  refusal,
  toAddressed,
  turnsOf,
  unbegun,
  unknownEpisode,
} from './append-rules.ts';
import { Packer, type Piece, Unpacker } from './pack.ts';
import { excerptOf, matches, readSearch, wordsIn } from './search-words.ts';

/** A store in memory, gone when the process ends. */
export function memoryStore(): Store {
  return new MemoryStore();
}

interface Log {
  readonly order: number;
  readonly added: number;
  readonly run: string | null;
  readonly versions: EpisodeVersions | undefined;
  readonly start: Omit<StartEvent, 'kind'>;
  readonly progress: LogLength;
  /** Packed JSON text, event by event. */
  readonly texts: string[];
  readonly scores: Map<string, string>;
}

class MemoryStore implements Store {
  readonly #runs = new Map<string, string>();
  /** When each run was stored. */
  readonly #added = new Map<string, number>();
  readonly catalog: StoreCatalog = {
    runTimes: async () =>
      new Map(
        [...this.#added].map(([id, created]): [string, RunTimes] => {
          const times = [...this.#logs.values()].filter(({ run }) => run === id).map(({ added }) => added);
          return [id, { created, first: times[0] ?? null, last: times.at(-1) ?? null }];
        }),
      ),
    runTallies: async () => {
      const runs = new Set([...this.#logs.values()].flatMap(({ run }) => (run === null ? [] : [run])));
      return new Map(await Promise.all([...runs].map(async (run) => [run, await this.tally({ run })] as const)));
    },
    runNotes: async (journal, runs) => {
      const entries = await Promise.all(runs.map(async (run) => [run, await this.notes(run, journal)] as const));
      return new Map(entries.filter(([, notes]) => notes.length > 0));
    },
    episodeTimes: async (ids) => new Map(ids.flatMap((id) => (this.#logs.has(id) ? [[id, this.#logs.get(id)!.added] as const] : []))),
    deleteRuns: async (runs) => {
      const episodes = [...this.#logs].filter(([, { run }]) => run !== null && runs.includes(run));
      for (const [id] of episodes) this.#logs.delete(id);
      for (const run of runs) for (const map of [this.#runs, this.#added, this.#journals]) map.delete(run);
      return episodes.length;
    },
  };
  readonly #specs = new Map<string, string>();
  readonly #logs = new Map<string, Log>();
  /** Journal by journal of each run, its entries as JSON text. */
  readonly #journals = new Map<string, Map<string, string[]>>();
  readonly #pieces = new Map<string, Piece>();
  readonly #packer = new Packer(({ hash, parent, part }) => this.#pieces.set(hash, { parent, part: JSON.parse(part) }));
  #order = 0;
  #closed = false;

  async putRun(run: RunRecord): Promise<void> {
    this.#check();
    checkName('A run', run.id);
    if (this.#runs.has(run.id)) return;
    this.#runs.set(run.id, toAddressed({ ...run, plan: withoutKeys(run.plan) }).text);
    this.#added.set(run.id, Date.now());
  }

  async run(id: string): Promise<RunRecord | null> {
    this.#check();
    return parseStored(this.#runs.get(id));
  }

  async runs(): Promise<readonly RunRecord[]> {
    this.#check();
    return [...this.#runs.values()].map((text) => JSON.parse(text));
  }

  async putSpec(spec: AgentSpec): Promise<string> {
    this.#check();
    const { address, text } = toAddressed(spec);
    if (!this.#specs.has(address)) this.#specs.set(address, text);
    return address;
  }

  async spec(address: string): Promise<AgentSpec | null> {
    this.#check();
    return parseStored(this.#specs.get(address));
  }

  async specs(query: { readonly parent?: string } = {}): Promise<readonly { readonly hash: string; readonly spec: AgentSpec }[]> {
    this.#check();
    const all = [...this.#specs].map(([address, text]) => ({ hash: address, spec: JSON.parse(text) as AgentSpec }));
    return query.parent === undefined ? all : all.filter(({ spec }) => spec.parent === query.parent);
  }

  append(...of: Parameters<Store['append']>): Promise<void> {
    return markHandled(this.#append(...of));
  }

  putScores(...of: Parameters<Store['putScores']>): Promise<void> {
    return markHandled(this.#putScores(...of));
  }

  async events(episode: string, from = 0): Promise<readonly EpisodeEvent[]> {
    this.#check();
    const texts = this.#logs.get(episode)?.texts.slice(from) ?? [];
    return this.#unpack(`[${texts.join(',')}]`) as EpisodeEvent[];
  }

  async search(query: string, limit = 50): Promise<FoundEpisodes> {
    checkLimit(limit);
    const wanted = readSearch(query);
    const matchingEpisodes: FoundEpisodes['found'][number][] = [];
    for (const episode of await this.episodes()) {
      const speech = wordsIn(await this.events(episode.id));
      if (matchingEpisodes.length < limit && matches(speech, wanted))
        matchingEpisodes.push({ episode, excerpt: excerptOf(speech, wanted) });
    }
    return { found: matchingEpisodes, pending: 0 };
  }

  async episode(id: string): Promise<EpisodeRecord | null> {
    this.#check();
    const log = this.#logs.get(id);
    return log === undefined ? null : recordOf(id, log);
  }

  async episodes(query: EpisodeQuery = {}): Promise<readonly EpisodeRecord[]> {
    checkLimit(query.limit);
    this.#check();
    const { before = Infinity, limit = Infinity } = query;
    const episodeRecords: EpisodeRecord[] = [];
    for (const [id, log] of [...this.#logs].reverse()) {
      if (episodeRecords.length >= limit) break;
      const inTime = log.added >= (query.since ?? 0) && log.added < (query.until ?? Infinity);
      if (log.order < before && inTime && fits(log, query)) episodeRecords.push(recordOf(id, log));
    }
    return episodeRecords;
  }

  async tally(query: Omit<EpisodeQuery, 'before' | 'limit'> = {}): Promise<readonly EpisodeTally[]> {
    const counts = new Map<string, number>();
    for (const { environment, cast, versions, status, returns } of await this.episodes(query)) {
      const key = JSON.stringify({ environment, cast, versions, status, returns });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].map(([key, count]) => ({ ...JSON.parse(key), count }));
  }

  async find(prefix: string, limit = 10): Promise<readonly string[]> {
    checkLimit(limit);
    this.#check();
    return [...this.#logs.keys()]
      .filter((id) => id.startsWith(prefix))
      .sort()
      .slice(0, limit);
  }

  async statuses(run: string): Promise<ReadonlyMap<string, EpisodeRecord['status']>> {
    this.#check();
    const statuses = new Map<string, EpisodeRecord['status']>();
    for (const [id, log] of this.#logs) if (log.run === run) statuses.set(id, log.progress.status);
    return statuses;
  }

  async scores(episode: string): Promise<readonly Score[]> {
    this.#check();
    return [...(this.#logs.get(episode)?.scores.values() ?? [])].map((text) => JSON.parse(text));
  }

  async note(run: string, journal: string, index: number, entries: readonly Json[]): Promise<void> {
    this.#check();
    checkName('A run', run);
    checkName('A journal', journal);
    const journals = this.#journals.get(run) ?? new Map<string, string[]>();
    const retainedJournal = journals.get(journal) ?? [];
    retainedJournal.push(...entriesFor(run, journal, { index, length: retainedJournal.length }, entries));
    if (retainedJournal.length > 0) this.#journals.set(run, journals.set(journal, retainedJournal));
  }

  async notes(run: string, journal: string, from = 0): Promise<readonly Json[]> {
    this.#check();
    return (this.#journals.get(run)?.get(journal) ?? []).slice(from).map((text) => JSON.parse(text));
  }

  async journals(run: string): Promise<Readonly<Record<string, number>>> {
    this.#check();
    const lengths = [...(this.#journals.get(run) ?? [])].map(([journal, entries]) => [journal, entries.length] as const);
    return Object.fromEntries(lengths.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #append(...[episode, index, events, run, , versions]: Parameters<Store['append']>): Promise<void> {
    this.#check();
    const portion = portionOf(episode, index, events);
    if (run !== undefined) checkName('A run', run);
    if (portion.count === 0) return;
    const texts = events.map((event, i) => this.#packer.pack(event, `event ${index + i}`));
    if (this.#packer.size > 2 ** 24) this.#packer.forget();
    const stored = this.#logs.get(episode);
    const refused = refusal(episode, stored?.progress ?? null, portion);
    if (refused !== null) throw refused;
    const log = stored ?? this.#open(texts[0]!, run, versions);
    this.#logs.set(episode, log);
    log.texts.push(...texts);
    advance(log.progress, portion);
  }

  async #putScores(...[episode, scores]: Parameters<Store['putScores']>): Promise<void> {
    this.#check();
    const log = this.#logs.get(episode);
    if (log === undefined) throw unknownEpisode(episode);
    for (const { address, text } of scores.map(toAddressed)) if (!log.scores.has(address)) log.scores.set(address, text);
  }

  #open(start: string, run: string | undefined, versions: EpisodeVersions | undefined): Log {
    const opening = this.#unpack(start) as StartEvent;
    return {
      order: ++this.#order,
      added: Date.now(),
      run: run ?? null,
      versions: versions === undefined ? undefined : structuredClone(versions),
      start: opening,
      progress: unbegun(),
      texts: [],
      scores: new Map(),
    };
  }

  #unpack(text: string): Json {
    return new Unpacker((address) => this.#pieces.get(address)).unpack(JSON.parse(text));
  }

  #check(): void {
    if (this.#closed) throw closedFault();
  }
}

function fits(log: Log, { run, environment, agent, status }: EpisodeQuery): boolean {
  if (run !== undefined && log.run !== run) return false;
  if (environment !== undefined && log.start.environment !== environment) return false;
  if (agent !== undefined && !Object.values(log.start.cast).includes(agent)) return false;
  return status === undefined || log.progress.status === status;
}

function recordOf(id: string, { order, run, versions, start, progress }: Log): EpisodeRecord {
  const { environment, task, seed, cast } = start;
  const { status, events, end } = progress;
  return {
    ...{ id, run, environment, task, seed, cast, status, events, turns: turnsOf(progress), returns: end?.returns ?? null },
    ...(versions === undefined ? {} : { versions }),
    order,
  };
}

function parseStored<T>(text: string | undefined): T | null {
  return text === undefined ? null : JSON.parse(text);
}
