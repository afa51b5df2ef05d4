/**
 * @file Copies everything from any store into any other. It can be interrupted and restarted: existing data is compared and kept. Every
 * log, journal, and list of scores is read back from the other side and compared by its hash.
 */

import { type EpisodeRecord, Fault, hash, type Json, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';

export interface CopyReport {
  readonly runs: number;
  readonly specs: number;
  readonly episodes: number;
  /** Episodes and events that were not there before. */
  readonly fresh: number;
  readonly events: number;
  readonly scores: number;
  readonly notes: number;
  /** One hash of all hashes, the same on both sides. */
  readonly digest: string;
}

export interface CopyOptions {
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

/** Episodes that are written, and read back, together. */
const page = 200;

/** Copies a store into another one. Existing data is kept. */
export async function copyStore(from: Store, to: Store, options: CopyOptions = {}): Promise<CopyReport> {
  const hashes: string[] = [];
  const counts = { fresh: 0, events: 0, scores: 0, notes: 0 };
  const runs = await from.runs();
  for (const run of runs) hashes.push(await copyRun(from, to, run, counts));
  const specs = await from.specs();
  for (const { hash: address, spec } of specs) {
    if ((await to.putSpec(spec)) !== address) throw differs(`The agent ${spec.name}`);
    hashes.push(address);
  }
  const all = await oldestFirst(from);
  for (let at = 0; at < all.length; at += page) {
    options.signal?.throwIfAborted();
    const subset = all.slice(at, at + page);
    hashes.push(...(await copyEpisodes(from, to, subset, counts)));
    options.onProgress?.(Math.min(all.length, at + page), all.length);
  }
  return { runs: runs.length, specs: specs.length, episodes: all.length, ...counts, digest: hash(hashes) };
}

interface Counts {
  fresh: number;
  events: number;
  scores: number;
  notes: number;
}

async function copyRun(from: Store, to: Store, run: RunRecord, counts: Counts): Promise<string> {
  await to.putRun(run);
  const parts: Json[] = [hash(await to.run(run.id))];
  if (parts[0] !== hash(run)) throw differs(`The run "${run.id}"`);
  for (const journal of Object.keys(await from.journals(run.id))) {
    const entries = await from.notes(run.id, journal);
    const { [journal]: entryCount = 0 } = await to.journals(run.id);
    await to.note(run.id, journal, entryCount, entries.slice(entryCount));
    counts.notes += Math.max(0, entries.length - entryCount);
    // The other side may have gone on since the last copy.
    const retained = (await to.notes(run.id, journal)).slice(0, entries.length);
    const address = hash(entries as Json);
    if (hash(retained as Json) !== address) throw differs(`The journal "${journal}" of run "${run.id}"`);
    parts.push([journal, address]);
  }
  return hash(parts);
}

/** First reads everything, then writes, then reads back: stores share one commit among concurrent writes. */
async function copyEpisodes(from: Store, to: Store, subset: readonly Named[], counts: Counts): Promise<readonly string[]> {
  const logs = await Promise.all(subset.map(async ({ id }) => ({ events: await from.events(id), scores: await from.scores(id) })));
  const storedCounts = await Promise.all(subset.map(async ({ id }) => (await to.episode(id))?.events ?? 0));
  const before = await Promise.all(subset.map(async ({ id }) => (await to.scores(id)).length));
  const appends = subset.map(({ id, run, versions }, i) =>
    to.append(id, storedCounts[i]!, logs[i]!.events.slice(storedCounts[i]), run ?? undefined, undefined, versions),
  );
  await Promise.all(appends);
  await Promise.all(subset.map(({ id }, i) => (logs[i]!.scores.length > 0 ? to.putScores(id, logs[i]!.scores) : undefined)));
  return Promise.all(
    subset.map(async ({ id }, i) => {
      const { events, scores } = logs[i]!;
      counts.events += Math.max(0, events.length - storedCounts[i]!);
      if (storedCounts[i] === 0) counts.fresh++;
      const [copied, judged] = [(await to.events(id)).slice(0, events.length), await to.scores(id)];
      counts.scores += judged.length - before[i]!;
      const address = hash(events);
      if (hash(copied) !== address) throw differs(`The episode "${id}"`);
      const there = new Set(judged.map((score) => hash(score)));
      const marks = scores.map((score) => hash(score));
      if (!marks.every((mark) => there.has(mark))) throw differs(`The scores of episode "${id}"`);
      return hash([id, address, ...marks]);
    }),
  );
}

type Named = Pick<EpisodeRecord, 'id' | 'run' | 'versions'>;

/** The episodes, oldest first; only their ids are in memory. */
async function oldestFirst(store: Store): Promise<readonly Named[]> {
  const all: Named[] = [];
  for (let before: { readonly before?: number } = {}; ; ) {
    const rows = await store.episodes({ ...before, limit: 1000 });
    for (const { id, run, versions } of rows) all.push({ id, run, ...(versions === undefined ? {} : { versions }) });
    const last = rows.at(-1);
    if (last === undefined) return all.reverse();
    before = { before: last.order };
  }
}

function differs(what: string): Fault {
  return new Fault('store', `${what} exists in both stores with different contents. Copy to another store.`);
}
