/**
 * @file Several sequences over one loaded model: each call gets a free one, preferably the one that already has most of its prompt.
 *
 * Concurrent calls are decoded together. Prompts with the same beginning (episodes of one environment, branches of one conversation) share
 * it: it is copied from a sequence that has it, or a sequence (the first of simultaneous ones, else the second) writes it to a file for all
 * others. That takes milliseconds, while reading it again takes seconds. State files are written only by this process, in a folder that is
 * removed with it.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '@ludus-agents/store/internal/files/atomic-file';

/** The part of a node-llama-cpp 3 sequence that is used here. */
export interface LaneSequence {
  readonly tokenMeter: { readonly usedInputTokens: number };
  readonly contextTokens?: readonly number[];
  adaptStateToTokens?(tokens: readonly number[], allowShift?: boolean): Promise<void>;
  evaluateWithoutGeneratingNewTokens?(tokens: readonly number[]): Promise<void>;
  saveStateToFile?(path: string): Promise<unknown>;
  loadStateFromFile?(path: string, risk: { acceptRisk: true }): Promise<void>;
  clearHistory?(): Promise<void>;
  /** Whether it cannot return to an earlier token. */
  readonly needsCheckpoints?: boolean;
}

/** The state after some tokens, stored in a file. */
interface Saved {
  readonly tokens: readonly number[];
  readonly path: string;
  /** False if it could not be saved. */
  readonly ready: Promise<boolean>;
  /** The number of sequences that wait to load it or are loading it; its file stays until there are none. */
  users: number;
}

/** The fewest tokens that a shared beginning must save to be worth a file, and that a file must save to be worth loading. */
const worthSaving = 64;
const worthLoading = 32;
/** The most beginnings stored on disk, the most tokens of one, and the number of earlier prompts that new ones are compared with. */
const mostSaved = 4;
const longestSaved = 4096;
const mostRecent = 32;
/**
 * A sequence is continued if this share of its content begins the new prompt (a turn later), or this share of the prompt (a repeated call).
 */
const continued = 0.75;
const repeated = 0.95;

const folderName = 'ludus-states-';

export class Lanes<Lane extends { readonly sequence: LaneSequence }> {
  /** Free sequences, least recently used first. */
  readonly #free: Lane[];
  readonly #recent: (readonly number[])[] = [];
  #saved: Saved[] = [];
  #folder: string | undefined;
  #files = 0;

  constructor(lanes: readonly Lane[]) {
    this.#free = [...lanes];
    this.size = lanes.length;
  }

  readonly size: number;

  /**
   * Runs on a free sequence, prepared with as much of the prompt as any known state contains. Callers must ensure that one is free. `read`
   * returns how many tokens the sequence has read for this call.
   */
  async use<T>(prompt: readonly number[], run: (lane: Lane, read: () => number) => Promise<T>): Promise<T> {
    const lane = this.#take(prompt);
    const { sequence } = lane;
    const before = sequence.tokenMeter.usedInputTokens;
    this.#recent.push(prompt);
    if (this.#recent.length > mostRecent) this.#recent.shift();
    try {
      // Waits until simultaneous callers are known, so that only the first of them reads the shared part.
      if (this.size > 1) await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#prepare(sequence, prompt);
      return await run(lane, () => sequence.tokenMeter.usedInputTokens - before);
    } finally {
      this.#free.push(lane);
    }
  }

  /** The sequence of the same conversation a turn earlier, or of the same prompt; else the least recently used one. */
  #take(prompt: readonly number[]): Lane {
    let [at, most] = [0, 0];
    for (const [i, { sequence }] of this.#free.entries()) {
      const currentLength = sequence.contextTokens?.length ?? 0;
      const common = overlap(sequence.contextTokens, prompt);
      if (common > most && (common >= continued * currentLength || common >= repeated * prompt.length)) [at, most] = [i, common];
    }
    const lane = this.#free.splice(at, 1)[0];
    if (lane === undefined) throw new Error('Every sequence of the model is in use. Wait for a call to end, or raise --sequences.');
    return lane;
  }

  /** Brings a sequence to the longest known state. Tokens that cannot be saved or loaded are read again, which is only slower. */
  async #prepare(sequence: LaneSequence, prompt: readonly number[]): Promise<void> {
    if (this.size === 1 || sequence.saveStateToFile === undefined) return;
    // The last token is always read again, because the answer is generated from it.
    const before = prompt.slice(0, -1);
    const overlapLength = overlap(sequence.contextTokens, before);
    const others = this.#recent.filter((item) => item !== prompt);
    const shared = Math.min(longestSaved, Math.max(0, ...others.map((item) => overlap(item, before))));
    const existing = longest(
      this.#saved.filter(({ tokens }) => overlap(tokens, before) === tokens.length),
      ({ tokens }) => tokens.length,
    );
    const reach = Math.max(overlapLength, existing?.tokens.length ?? 0);
    const beside = longest(this.#free, (lane) => overlap(lane.sequence.contextTokens, before))?.sequence;
    const copied = beside?.needsCheckpoints === true ? 0 : overlap(beside?.contextTokens, before);
    if (beside !== undefined && copied - reach >= worthSaving) await this.#copy(beside, sequence);
    else if (shared - reach >= worthSaving) await this.#save(sequence, before.slice(0, shared), existing);
    else if (existing !== undefined && existing.tokens.length - overlapLength >= worthLoading) await load(sequence, existing);
  }

  /** A branch: copies a free sequence into a second one. The first stays for the caller that continues it. */
  async #copy(from: LaneSequence, to: LaneSequence): Promise<void> {
    const path = this.#newFile();
    const ready = Promise.resolve(from.saveStateToFile?.(path)).then(
      () => true,
      () => false,
    );
    await load(to, { path, ready, users: 0 });
    await rm(path, { force: true }).catch(() => {});
  }

  async #save(sequence: LaneSequence, tokens: readonly number[], existing: Saved | undefined): Promise<void> {
    const path = this.#newFile();
    const make = async (): Promise<boolean> => {
      if (existing !== undefined && existing.tokens.length > overlap(sequence.contextTokens, tokens)) await load(sequence, existing);
      await sequence.adaptStateToTokens?.(tokens, false);
      const rest = tokens.slice(sequence.contextTokens?.length ?? 0);
      if (rest.length > 0) await sequence.evaluateWithoutGeneratingNewTokens?.(rest);
      await sequence.saveStateToFile?.(path);
      return true;
    };
    const saved: Saved = { tokens, path, ready: make().catch(() => false), users: 0 };
    this.#saved.push(saved);
    if (!(await saved.ready)) return this.#forget([saved]);
    // A beginning that is still in use is removed later.
    const unused = this.#saved.filter(({ users }) => users === 0);
    await this.#forget(unused.slice(0, Math.max(0, this.#saved.length - mostSaved)));
  }

  async #forget(gone: readonly Saved[]): Promise<void> {
    this.#saved = this.#saved.filter((item) => !gone.includes(item));
    for (const { path, ready } of gone) {
      await ready;
      await rm(path, { force: true }).catch(() => {});
    }
  }

  #newFile(): string {
    if (this.#folder === undefined) {
      removeDeadFolders();
      const folder = mkdtempSync(join(tmpdir(), `${folderName}${process.pid}-`));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      this.#folder = folder;
    }
    return join(this.#folder, `${this.#files++}.state`);
  }
}

/** Folders of processes that were killed before they could remove them. */
function removeDeadFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderName) ? Number(/^\d+(?=-)/.exec(name.slice(folderName.length))?.[0] ?? 0) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

/** The item with the largest measure; of equals, the first. */
function longest<T>(list: readonly T[], measure: (item: T) => number): T | undefined {
  return list.reduce<T | undefined>((best, item) => (best === undefined || measure(item) > measure(best) ? item : best), undefined);
}

async function load(sequence: LaneSequence, saved: Pick<Saved, 'path' | 'ready' | 'users'>): Promise<void> {
  saved.users++;
  try {
    if (!(await saved.ready)) return;
    // After a failed load the tokens are read again. The history is cleared first, because a sequence with unknown content would read from
    // the wrong position.
    await sequence.clearHistory?.();
    await sequence.loadStateFromFile?.(saved.path, { acceptRisk: true }).catch(() => sequence.clearHistory?.());
  } finally {
    saved.users--;
  }
}

/** The number of tokens that two lists share at their start. */
function overlap(item: readonly number[] = [], other: readonly number[]): number {
  const most = Math.min(item.length, other.length);
  let at = 0;
  while (at < most && item[at] === other[at]) at++;
  return at;
}
