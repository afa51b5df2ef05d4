/**
 * @file Lasting memory: an agent's notes from finished episodes, and later manual changes.
 *
 * Nothing is copied: the facts are in the logs, each under its episode, and changes are an append-only list. So every version can be
 * restored, and memories recalled in an episode are in its own log.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { isBeliefKey } from './beliefs.ts';
import { emptyMemory, type Memory, type MemoryRecord } from './memory.ts';
import { readMind } from './mind.ts';

export type LastingRecord = {
  /** The episode and the record in it, as "3f2a91c0/m2"; "added/1" for manually added ones. */
  readonly id: string;
  readonly kind: MemoryRecord['kind'];
  readonly text: string;
  readonly key?: string;
  readonly importance: number;
  /** Records of the same episode that support it. */
  readonly evidence: readonly string[];
  readonly episode: string | null;
  readonly edited?: true;
};

/** A manual change. A forgotten record is named by id alone, because a list of forgotten records must not contain them. */
export type MemoryChange =
  | { readonly op: 'forget'; readonly ids: readonly string[] }
  | { readonly op: 'edit'; readonly id: string; readonly text: string }
  | { readonly op: 'add'; readonly text: string; readonly key?: string };

/** A finished episode with the agent's final mind. */
export interface PastEpisode {
  readonly id: string;
  readonly mind: Json | undefined;
}

/** All remembered records, oldest first, after all changes. */
export function lastingRecords(episodes: readonly PastEpisode[], changes: readonly MemoryChange[]): readonly LastingRecord[] {
  const records = new Map<string, LastingRecord>();
  for (const { id, mind } of episodes) for (const record of recordsWrittenIn(id, mind)) records.set(record.id, record);
  let added = 0;
  for (const change of changes) {
    if (change.op === 'add') {
      const { text, key } = change;
      const id = `added/${++added}`;
      records.set(id, { id, kind: 'fact', text, ...(key === undefined ? {} : { key }), importance: 7, evidence: [], episode: null });
    } else if (change.op === 'forget') for (const id of change.ids) records.delete(id);
    else {
      const old = records.get(change.id);
      if (old !== undefined) records.set(change.id, { ...old, text: change.text, edited: true });
    }
  }
  return [...records.values()];
}

/** An agent's notes from an episode. Notes from earlier episodes have an id with a slash, and are read from their source instead. */
function recordsWrittenIn(episode: string, mind: Json | undefined): readonly LastingRecord[] {
  const memoryRecords = (readMind(mind)?.memory?.records ?? []).filter(
    ({ id, retractedAt }) => !id.includes('/') && retractedAt === undefined,
  );
  const place = (id: string) => (id.includes('/') ? id : `${episode}/${id}`);
  return memoryRecords
    .filter(({ kind, validTo }) => (kind === 'fact' || kind === 'reflection') && validTo === undefined)
    .map(({ id, kind, text, key, importance, evidence }) => ({
      id: place(id),
      kind,
      text,
      ...(key === undefined ? {} : { key }),
      importance,
      evidence: evidence.filter((item) => !/^e\d+$/.test(item)).map(place),
      episode,
    }));
}

/** The weight of an observation relative to the next one under the same key. */
const fading = 0.8;
const mostBrought = 24;

/**
 * The memory that an agent starts an episode with: for each key the value observed most, with later observations weighing more. A habit
 * thus outweighs an exception, and a new habit an old one.
 */
export function broughtMemory(records: readonly LastingRecord[], owner: string): Memory {
  const byKey = new Map<string, LastingRecord[]>();
  for (const record of records) byKey.set(record.key ?? record.id, [...(byKey.get(record.key ?? record.id) ?? []), record]);
  const lastingRecords = [...byKey.values()].map((observed) => {
    const stated = observed.findLast(({ key, edited }) => edited === true && isBeliefKey(key));
    if (stated !== undefined) return stated;
    const weights = new Map<string, number>();
    for (const [i, { text }] of observed.entries()) weights.set(text, (weights.get(text) ?? 0) + fading ** (observed.length - 1 - i));
    const most = Math.max(...weights.values());
    return observed.findLast(({ text }) => weights.get(text) === most) as LastingRecord;
  });
  const brought = lastingRecords.slice(-mostBrought).map(
    ({ id, kind, text, key, importance, evidence, edited }): MemoryRecord => ({
      ...{ id, kind, text, importance, evidence, owner },
      ...(edited === true ? { edited } : {}),
      ...(key === undefined ? {} : { key }),
      validFrom: 0,
      recordedAt: 0,
    }),
  );
  return { ...emptyMemory, records: brought };
}

/**
 * The records removed with a forgotten one: itself, records under its key, records that share three words in a row with it, and records
 * supported by nothing else.
 */
export function dependentsOf(records: readonly LastingRecord[], ids: readonly string[]): readonly string[] {
  const gone = new Set(ids);
  for (let before = -1; before < gone.size; ) {
    before = gone.size;
    const forgotten = records.filter(({ id }) => gone.has(id));
    const runs = new Set(forgotten.flatMap(({ text }) => wordRuns(text)));
    for (const record of records) {
      const rests = record.evidence.length > 0 && record.evidence.every((item) => gone.has(item));
      const alike = forgotten.some(({ key, text }) => (key !== undefined && key === record.key) || text === record.text);
      if (rests || alike || wordRuns(record.text).some((run) => runs.has(run))) gone.add(record.id);
    }
  }
  return [...gone];
}

/** Every sequence of three words. */
function wordRuns(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`);
}
