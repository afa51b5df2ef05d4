/** @file The lasting memory of an agent: read from the logs of a store and the changes stored with them, and edited by hand. */

import type { MovePath } from '@ludus-agents/environments/internal/discussion/procedures';
import type { ActionEvent, EpisodeEvent, EpisodeRecord, Json, Seat, Seen, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, toSeen } from '@ludus-agents/kernel/internal/core/index';
import { type StoreOptions, storeExists, type WorkingFolder, withExistingStore } from '@ludus-agents/store/internal/stores';
import { broughtMemory, dependentsOf, type LastingRecord, lastingRecords, type MemoryChange, type PastEpisode } from '../mind/lasting.ts';
import type { Memory } from '../mind/memory.ts';
import { type Mind, readMind } from '../mind/mind.ts';
import type { EarlierEpisodes } from '../team/agent.ts';
import { observationOf } from '../team/views.ts';
import { type KeptTool, withTool } from '../tools/kept-tools.ts';

/** The name of the memory journals, one for each agent. */
const journals = 'memory';

/** The most episodes read, newest first; older ones are ignored. */
const mostEpisodes = 400;
/** Enough to find a finished episode among running ones. */
const fewEpisodes = 8;
/** The most episodes in which a team looks for routines. */
const mostPaths = 60;

export interface LastingMemory {
  readonly agent: string;
  /** The number of episodes and changes, which only grows. */
  readonly version: number;
  readonly records: readonly LastingRecord[];
  readonly changes: readonly MemoryChange[];
}

/** The memory of the agent with this name. `upTo` selects an earlier version by its number of changes. */
export async function readLastingMemory(
  store: Store,
  agent: string,
  upTo?: number,
  counts?: (episode: string) => boolean,
): Promise<LastingMemory> {
  const changes = ((await store.notes(journals, agent)) as readonly MemoryChange[]).slice(0, upTo);
  const episodes = await pastEpisodes(store, agent, mostEpisodes, counts);
  return { agent, version: episodes.length + changes.length, records: lastingRecords(episodes, changes), changes };
}

/**
 * The finished episodes of an agent and its conversations with people, which may stay open; oldest first, each with its last mind. Of the
 * versions of a conversation only the latest counts, since what was edited away was never said; `counts` selects others.
 */
async function pastEpisodes(
  store: Store,
  agent: string,
  limit = mostEpisodes,
  counts?: (episode: string) => boolean,
): Promise<readonly PastEpisode[]> {
  const isPast = ({ id, status, cast }: EpisodeRecord) => (status !== 'running' || cast['user'] === 'human') && (counts?.(id) ?? true);
  const episodeRecords = (await store.episodes({ agent, limit })).filter(isPast);
  const origins = new Map<string, string>();
  const logs = new Map<string, readonly EpisodeEvent[]>();
  for (const { id, cast } of episodeRecords) {
    const events = await store.events(id);
    logs.set(id, events);
    const [start] = events;
    if (start?.kind === 'start' && start.fork?.episode !== undefined && cast['user'] === 'human') origins.set(id, start.fork.episode);
  }
  const latest = new Set<string>();
  const isLatest = ({ id, cast }: EpisodeRecord) => {
    if (counts !== undefined || cast['user'] !== 'human') return true;
    let root = id;
    for (let origin = origins.get(root); origin !== undefined; origin = origins.get(root)) root = origin;
    return !latest.has(root) && latest.add(root);
  };
  const episodes: PastEpisode[] = [];
  for (const { id, cast } of episodeRecords.filter(isLatest)) {
    const seats: readonly Seat[] = Object.keys(cast).filter((seat) => cast[seat] === agent);
    const last = logs.get(id)?.findLast((event): event is ActionEvent => event.kind === 'action' && seats.includes(event.seat));
    episodes.push({ id: id.slice(0, 8), mind: last?.mind });
  }
  return episodes.toReversed();
}

/** The functions that an agent has stored in its episodes; if several have the same name, the latest. */
export async function recallTools(place: WorkingFolder, options: StoreOptions, agent: string): Promise<readonly KeptTool[]> {
  if (!storeExists(place, options)) return [];
  const past = await withExistingStore(place, options, (store) => pastEpisodes(store, agent));
  return past.flatMap(({ mind }) => readMind(mind)?.box ?? []).reduce<readonly KeptTool[]>((box, tool) => withTool(box, tool), []);
}

/** The mind of an agent at the end of its latest finished episode. */
export async function recallMind(place: WorkingFolder, options: StoreOptions, agent: string): Promise<Mind | undefined> {
  if (!storeExists(place, options)) return undefined;
  return withExistingStore(place, options, async (store) => readMind((await pastEpisodes(store, agent, fewEpisodes)).at(-1)?.mind));
}

/** The last mind of an agent, and the moves of its finished episodes with their rewards. */
export async function recallEpisodes(place: WorkingFolder, options: StoreOptions, agent: string): Promise<EarlierEpisodes> {
  if (!storeExists(place, options)) return { mind: undefined, paths: [] };
  return withExistingStore(place, options, async (store) => {
    const finished = (await store.episodes({ agent, limit: mostPaths })).filter(({ status }) => status !== 'running').toReversed();
    const paths: MovePath[] = [];
    let mind: Json | undefined;
    for (const { id, cast } of finished) {
      const events = await store.events(id);
      const end = events.at(-1);
      for (const seat of Object.keys(cast).filter((item) => cast[item] === agent)) {
        const path = pathOf(events, seat);
        if (end?.kind === 'end' && end.reason === 'over')
          paths.push({ ...path, paid: (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0) });
        mind = path.mind ?? mind;
      }
    }
    return { mind, paths };
  });
}

/** The observations of a seat before each of its moves, and its last mind. */
function pathOf(events: readonly EpisodeEvent[], seat: Seat): { readonly steps: MovePath['steps']; readonly mind: Json | undefined } {
  const observations: Seen[] = [];
  const steps: { observed: string; move: string }[] = [];
  let mind: Json | undefined;
  for (const event of events) {
    if (event.kind === 'action' && event.seat === seat) {
      steps.push({ observed: observationOf({ seat, seen: observations }), move: event.action.text });
      mind = event.mind ?? mind;
    }
    const item = toSeen(event, seat);
    if (item !== null) observations.push(item);
  }
  return { steps, mind };
}

/** An agent's memory at the start of an episode; empty if there is no store yet. */
export async function recallLasting(place: WorkingFolder, options: StoreOptions, agent: string, seat: Seat): Promise<Memory> {
  if (!storeExists(place, options)) return broughtMemory([], seat);
  return withExistingStore(place, options, (store) => recallFrom(store, agent, seat));
}

/** The same from an open store; `counts` leaves out episodes, such as other versions of the same conversation. */
export async function recallFrom(store: Store, agent: string, seat: Seat, counts?: (episode: string) => boolean): Promise<Memory> {
  return broughtMemory((await readLastingMemory(store, agent, undefined, counts)).records, seat);
}

async function change(store: Store, agent: string, entry: MemoryChange): Promise<void> {
  const { length } = await store.notes(journals, agent);
  await store.note(journals, agent, length, [entry]);
}

export async function addMemory(store: Store, agent: string, text: string, key?: string): Promise<void> {
  await change(store, agent, { op: 'add', text, ...(key === undefined ? {} : { key }) });
}

export async function editMemory(store: Store, agent: string, id: string, text: string): Promise<void> {
  checkRecord(await readLastingMemory(store, agent), id);
  await change(store, agent, { op: 'edit', id, text });
}

/** Forgets a record and all that depend on it; returns the ids of all. */
export async function forgetMemory(store: Store, agent: string, ids: readonly string[]): Promise<readonly string[]> {
  const memory = await readLastingMemory(store, agent);
  for (const id of ids) checkRecord(memory, id);
  const gone = dependentsOf(memory.records, ids);
  await change(store, agent, { op: 'forget', ids: gone });
  return gone;
}

function checkRecord({ agent, records }: LastingMemory, id: string): void {
  if (records.some((record) => record.id === id)) return;
  throw new Fault('input', `${agent} has no memory "${id}". Run "ludus store memory ${agent}" to see its memories.`);
}
