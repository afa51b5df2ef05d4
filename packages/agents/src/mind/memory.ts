/**
 * @file Memory with two times: when a fact was true, and when it was recorded. Both are counted in turns; no clock is read.
 *
 * Validity decides which records can be recalled; recency, importance, relevance, and emotion only rank the valid ones (see `rank.ts`). A
 * newer record under the same key closes the older one's interval, whichever arrives first. Closing has its own date, so a question about
 * the beliefs at an earlier turn keeps its earlier answer. Nothing is lost: a retracted record stays as a tombstone.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { isBeliefKey } from './beliefs.ts';

export type MemoryKind = 'event' | 'fact' | 'reflection' | 'plan' | 'summary';

export type MemoryRecord = {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly text: string;
  /** Subject and relation, e.g. "keys.place"; only one record per key is valid at a time. */
  readonly key?: string;
  /** Valid from this turn up to, but not including, `validTo`. */
  readonly validFrom: number;
  readonly validTo?: number;
  readonly recordedAt: number;
  /** The turn at which `validTo` became known. */
  readonly closedAt?: number;
  readonly retractedAt?: number;
  /** 1 (mundane) to 10 (poignant). */
  readonly importance: number;
  /** Joy, acceptance, fear, surprise, sadness, disgust, anger, anticipation; 1 to 10 each. */
  readonly emotion?: readonly number[];
  /** Its evidence: ids of events or records. */
  readonly evidence: readonly string[];
  /** Its owner and the seats it is shared with; no other seat may recall it. */
  readonly owner: string;
  readonly sharedWith?: readonly string[];
  /** The number of recalls, and the turn of the last one. */
  readonly recalls?: number;
  readonly lastRecall?: number;
  /** A person wrote it in place of the agent's note. */
  readonly edited?: true;
};

export type Memory = { readonly next: number; readonly records: readonly MemoryRecord[] };

export const emptyMemory: Memory = { next: 1, records: [] };

/** A new memory; by default it is valid from now on. */
export type NewMemory = Pick<MemoryRecord, 'kind' | 'text' | 'owner'> &
  Partial<Pick<MemoryRecord, 'id' | 'key' | 'validFrom' | 'validTo' | 'importance' | 'emotion' | 'evidence' | 'sharedWith'>>;

const derived: ReadonlySet<MemoryKind> = new Set(['reflection', 'summary']);

/** The memory with one more record, which closes the records under its key that it replaces. */
export function remember(memory: Memory, entry: NewMemory, now: number): Memory {
  const { id = `m${memory.next}`, validFrom = now, importance = 5, evidence = [], ...rest } = entry;
  if (derived.has(entry.kind) && evidence.length === 0)
    throw new Fault('agent', `A ${entry.kind} needs the ids of its evidence, but "${entry.text.slice(0, 60)}" has none.`);
  const isHeld =
    isBeliefKey(entry.key) && memory.records.some((old) => old.edited === true && old.key === entry.key && old.validTo === undefined);
  // The agent cannot change a belief stated by a person.
  if (isHeld) return memory;
  let added: MemoryRecord = { ...rest, id, validFrom, recordedAt: now, importance, evidence };
  const records: MemoryRecord[] = [];
  for (const old of memory.records) {
    if (added.key === undefined || !rivals(old, added)) records.push(old);
    else if (old.validFrom < added.validFrom || (old.validFrom === added.validFrom && old.recordedAt <= now)) {
      const open = (old.validTo ?? Infinity) > added.validFrom;
      records.push(open ? { ...old, validTo: added.validFrom, closedAt: now } : old);
    } else {
      // A record about an earlier time was valid until the existing record took over.
      if ((added.validTo ?? Infinity) > old.validFrom) added = { ...added, validTo: old.validFrom, closedAt: now };
      records.push(old);
    }
  }
  return { next: memory.next + 1, records: [...records, added] };
}

function rivals(old: MemoryRecord, added: MemoryRecord): boolean {
  return old.key === added.key && old.owner === added.owner && old.retractedAt === undefined;
}

/** Marks records as retracted: they are never recalled again, but stay and can be restored. */
export function retract(memory: Memory, ids: readonly string[], now: number): Memory {
  const gone = new Set(ids);
  return {
    ...memory,
    records: memory.records.map((memoryRecord) =>
      gone.has(memoryRecord.id) && memoryRecord.retractedAt === undefined ? { ...memoryRecord, retractedAt: now } : memoryRecord,
    ),
  };
}

export function restore(memory: Memory, ids: readonly string[]): Memory {
  const back = new Set(ids);
  return {
    ...memory,
    records: memory.records.map((memoryRecord) => {
      if (!back.has(memoryRecord.id)) return memoryRecord;
      const { retractedAt: _, ...rest } = memoryRecord;
      return rest;
    }),
  };
}

export interface MemoryTime {
  /** The turn at which the record was true. */
  readonly at: number;
  /** The turn at which it was known; by default `at`. */
  readonly known?: number;
  /** The seat that recalls. */
  readonly viewer: string;
}

/** Whether the viewer may recall the record: it belongs to the viewer, was valid at that time, was known by then, and is not retracted. */
export function holds(record: MemoryRecord, { at, known = at, viewer }: MemoryTime): boolean {
  if (record.owner !== viewer && !record.sharedWith?.includes(viewer)) return false;
  if (record.recordedAt > known || (record.retractedAt !== undefined && record.retractedAt <= known)) return false;
  const until = record.closedAt !== undefined && record.closedAt > known ? undefined : record.validTo;
  return record.validFrom <= at && (until === undefined || at < until);
}

export function valid(memory: Memory, moment: MemoryTime): readonly MemoryRecord[] {
  return memory.records.filter((record) => holds(record, moment));
}

/** Notes that records were recalled. Inspection does not call this, so it leaves the memory unchanged. */
export function touch(memory: Memory, ids: readonly string[], now: number): Memory {
  if (ids.length === 0) return memory;
  const matches = new Set(ids);
  return {
    ...memory,
    records: memory.records.map((memoryRecord) =>
      matches.has(memoryRecord.id) ? { ...memoryRecord, recalls: (memoryRecord.recalls ?? 0) + 1, lastRecall: now } : memoryRecord,
    ),
  };
}

/**
 * The memory cut to `most` records: first removes tombstones and closed ones, oldest first, then the least important. The log contains
 * every earlier mind, so removed records can still be audited.
 */
export function trimMemory(memory: Memory, most: number): Memory {
  if (memory.records.length <= most) return memory;
  const isClosed = (memoryRecord: MemoryRecord) => (memoryRecord.retractedAt !== undefined || memoryRecord.validTo !== undefined ? 0 : 1);
  const order = [...memory.records].sort((a, b) => isClosed(b) - isClosed(a) || b.importance - a.importance || b.recordedAt - a.recordedAt);
  const retained = new Set(order.slice(0, most));
  return { ...memory, records: memory.records.filter((memoryRecord) => retained.has(memoryRecord)) };
}
