/**
 * @file Logs as the text they are stored as: an export that packs as the store does writes it on without reading it into values and packing
 * these again.
 */

import { setImmediate as breath } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { readBack } from './append-rules.ts';
import type { NewRows } from './new-rows.ts';
import type { Shared } from './pack.ts';
import { positionsOf, storedChunks } from './read-stored.ts';
import type { Tables } from './schema.ts';
import type { Pieces } from './shared-parts.ts';
import type { StoredScores } from './stored-scores.ts';

/** An episode as stored: its packed events and its scores, each as JSON joined by commas. */
export interface PackedLog {
  readonly count: number;
  readonly events: string;
  readonly scores: string;
}

/** A store that can read and write logs in packed form. */
export interface PackedStore {
  /** By id; episodes that are not there are left out. */
  packedLogs(episodes: readonly string[]): Promise<ReadonlyMap<string, PackedLog>>;
  /** The shared parts that packed text refers to and `isKnown` does not know, each after all that it refers to itself. */
  partsOf(text: string, isKnown: (address: string) => boolean): Promise<readonly Shared[]>;
  /**
   * Writes new logs in one commit. Returns false if that is impossible, usually because one exists already: then only the shared parts are
   * written.
   */
  writePacked(parts: readonly Shared[], blocks: readonly NewRows[]): Promise<boolean>;
}

export function isPackedStore(store: object): store is PackedStore {
  return 'packedLogs' in store && 'partsOf' in store;
}

export async function readPackedLogs(
  db: Kysely<Tables>,
  storedScores: StoredScores,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PackedLog>> {
  // SQLite is synchronous: without a pause, nothing else in this process would run until everything is read.
  await breath();
  const positions = await positionsOf(db, ids);
  const places = [...positions.values()];
  const logs = new Map<number, { count: number; events: string }>();
  for (const { episode, count, body } of await storedChunks(db, places)) {
    // Damage is refused here, before it is in a file.
    readBack(`[${body}]`);
    const log = logs.get(Number(episode));
    if (log === undefined) logs.set(Number(episode), { count: Number(count), events: body });
    else {
      log.count += Number(count);
      log.events += `,${body}`;
    }
  }
  const scores = await storedScores.at(places);
  const matches = new Map<string, PackedLog>();
  for (const [id, position] of positions) {
    const log = logs.get(position);
    if (log !== undefined) matches.set(id, { ...log, scores: (scores.get(position) ?? []).map(({ text }) => text).join(',') });
  }
  return matches;
}

/** Parts in the order in which a packer creates them: a part follows the parts that it refers to. */
export async function readParts(pieces: Pieces, text: string, isKnown: (address: string) => boolean): Promise<readonly Shared[]> {
  const wanted = new Set<string>();
  for (const address of addressesIn(text)) if (!isKnown(address)) wanted.add(address);
  if (wanted.size === 0) return [];
  const textsByHash = await pieces.texts(wanted);
  const input = new Map<string, Shared>();
  const give = (address: string) => {
    const chain: Shared[] = [];
    for (let at: string | null = address; at !== null && !input.has(at) && !isKnown(at); ) {
      const part: Shared = textsByHash(at);
      chain.push(part);
      at = part.parent;
    }
    for (const part of chain.reverse()) {
      for (const inner of addressesIn(part.part)) give(inner);
      input.set(part.hash, part);
    }
  };
  for (const address of wanted) give(address);
  return [...input.values()];
}

const opening = '{"~":"';
const addressLength = 64;

/**
 * The addresses that packed JSON text refers to, in order. Quotes inside strings are escaped, and a key of one tilde is written with two,
 * so only a reference can begin like this.
 */
function* addressesIn(text: string): Generator<string, void, undefined> {
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + opening.length + addressLength))
    yield text.slice(at + opening.length, at + opening.length + addressLength);
}
