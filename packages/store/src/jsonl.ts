/**
 * @file Logs as lines of JSON: lossless, streamed both ways, and no longer than the store itself.
 *
 * A file opens with a header and closes with counts, so that one that was cut off is noticed. Each shared value (see pack.ts) has a line of
 * its own before the first episode that needs it; "forget" means that none of them is referred to again, which bounds the memory of both
 * ends.
 */

import { type AgentSpec, type EpisodeQuery, type EpisodeRecord, readEpisodes, type Store } from '@ludus-agents/kernel/internal/core/index';
import { Packer, type Shared } from './pack.ts';
import { isPackedStore, type PackedLog, type PackedStore } from './packed-logs.ts';
import { type OnDamaged, portionsOf, readAround } from './portions.ts';

/** Of the format. */
export const version = 1;

/** Everything in a store, or the episodes a query finds with their runs, agents' specs and scores: line by line, oldest episode first. */
export async function* exportJsonl(store: Store, query: EpisodeQuery = {}, onDamaged?: OnDamaged): AsyncGenerator<string, void, undefined> {
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
  for await (const { id, run, versions, log, parts, isAnew } of isPackedStore(store)
    ? storedLogs(store, episodes, onDamaged)
    : packedLogs(store, episodes, onDamaged)) {
    if (isAnew) yield JSON.stringify({ kind: 'forget' });
    for (const part of parts) yield valueLine(part);
    const version = versions === undefined ? '' : `,"versions":${JSON.stringify(versions)}`;
    yield `{"kind":"episode","id":${JSON.stringify(id)},"run":${JSON.stringify(run)}${version},"events":[${log.events}]}`;
    if (log.scores !== '') yield `{"kind":"scores","episode":${JSON.stringify(id)},"scores":[${log.scores}]}`;
    counts.episodes++;
    counts.events += log.count;
  }
  yield JSON.stringify({ kind: 'end', ...counts });
}

type Named = Pick<EpisodeRecord, 'id' | 'run' | 'versions' | 'events'>;

/** An episode to be written, with the shared parts that were not written since the last `isAnew`: before such a one all are forgotten. */
interface PackedEpisode extends Pick<Named, 'id' | 'run' | 'versions'> {
  readonly log: PackedLog;
  readonly parts: readonly Shared[];
  readonly isAnew: boolean;
}

/** From a store that packs as exports do: texts are passed on as they are. */
async function* storedLogs(
  store: PackedStore,
  episodes: readonly Named[],
  onDamaged?: OnDamaged,
): AsyncGenerator<PackedEpisode, void, undefined> {
  const knownNames = new Set<string>();
  let size = 0;
  for (const portion of portionsOf(episodes)) {
    const damaged = new Set<string>();
    const note = passOver(damaged, onDamaged);
    const ids = portion.map(({ id }) => id);
    const stored = await readAround(ids, (episodes) => store.packedLogs(episodes), note);
    for (const { id, run, versions } of portion) {
      if (damaged.has(id)) continue;
      const log = stored.get(id) ?? { count: 0, events: '', scores: '' };
      const isAnew = size >= remembered;
      if (isAnew) {
        knownNames.clear();
        size = 0;
      }
      const readParts = async () => new Map([[id, await store.partsOf(log.events, (address) => knownNames.has(address))]]);
      const parts = (await readAround([id], readParts, note)).get(id);
      if (parts === undefined) continue;
      for (const { hash: address, part } of parts) {
        knownNames.add(address);
        size += part.length;
      }
      yield { id, run, ...(versions === undefined ? {} : { versions }), log, parts, isAnew };
    }
  }
}

/** From any other store: logs are packed here. */
async function* packedLogs(
  store: Store,
  episodes: readonly Named[],
  onDamaged?: OnDamaged,
): AsyncGenerator<PackedEpisode, void, undefined> {
  let parts: Shared[] = [];
  const packer = new Packer((part) => parts.push(part));
  for (const portion of portionsOf(episodes)) {
    const ids = portion.map(({ id }) => id);
    const damaged = new Set<string>();
    const read = (episodes: readonly string[]) => readEpisodes(store, episodes, { events: true, scores: true });
    const stored = await readAround(ids, read, passOver(damaged, onDamaged));
    for (const { id, run, versions } of portion) {
      if (damaged.has(id)) continue;
      const { events = [], scores = [] } = stored.get(id) ?? {};
      const isAnew = packer.size >= remembered;
      if (isAnew) packer.forget();
      parts = [];
      const packed = packer.packAll(events, (i) => `event ${i}`);
      yield {
        id,
        run,
        ...(versions === undefined ? {} : { versions }),
        log: { count: events.length, events: packed, scores: JSON.stringify(scores).slice(1, -1) },
        parts,
        isAnew,
      };
    }
  }
}

/** Remembers damaged episodes where someone hears of them; otherwise the first one ends the export. */
function passOver(damaged: Set<string>, onDamaged: OnDamaged | undefined): OnDamaged | undefined {
  if (onDamaged === undefined) return undefined;
  return (episode, problem) => {
    damaged.add(episode);
    onDamaged(episode, problem);
  };
}

function valueLine({ hash: address, parent, part }: Shared): string {
  return `{"kind":"value","hash":"${address}","parent":${JSON.stringify(parent)},"part":${part}}`;
}

/** Characters of shared values after which an export starts over. */
const remembered = 2 ** 24;

/** Selects the episodes to export, oldest first, and the names to replace. Only episode ids are in memory. */
async function selectEpisodes(store: Store, query: EpisodeQuery) {
  const episodes: Named[] = [];
  const runs = new Set<string | null>();
  const agents = new Set<string>();
  let left = query.limit ?? Infinity;
  let from: Pick<EpisodeQuery, 'before'> = {};
  while (left > 0) {
    const page = await store.episodes({ ...query, ...from, limit: Math.min(left, 1000) });
    for (const { id, run, cast, events, versions } of page) {
      episodes.push({ id, run, events, ...(versions === undefined ? {} : { versions }) });
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
  const retained = new Set<string>();
  for (const { hash, spec } of all) {
    if (!agents.has(spec.name)) continue;
    for (let at: string | undefined = hash; at !== undefined && !retained.has(at); at = parents.get(at)) retained.add(at);
  }
  return all.filter(({ hash }) => retained.has(hash)).map(({ spec }) => spec);
}
