/**
 * @file Several sequences over one loaded model: each call gets a free one, the one that already holds most of its prompt.
 *
 * Calls under way at once are decoded together. Prompts that begin alike (episodes of one environment, branches of one conversation) share
 * that beginning: it is copied from a sequence that holds it, or one of them (the first of those that come together, else the second) writes it to
 * a file for all others, which takes milliseconds where reading takes seconds. State files are made by this process alone, in its own folder that goes with it.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '@ludus-agents/store/internal/files/atomic-file';

/** As much of a sequence of node-llama-cpp 3 as is used here. */
export interface LaneSequence {
  readonly tokenMeter: { readonly usedInputTokens: number };
  readonly contextTokens?: readonly number[];
  adaptStateToTokens?(tokens: readonly number[], allowShift?: boolean): Promise<void>;
  evaluateWithoutGeneratingNewTokens?(tokens: readonly number[]): Promise<void>;
  saveStateToFile?(path: string): Promise<unknown>;
  loadStateFromFile?(path: string, risk: { acceptRisk: true }): Promise<void>;
  clearHistory?(): Promise<void>;
  /** It cannot go back to an earlier token. */
  readonly needsCheckpoints?: boolean;
}

/** The state after some tokens, in a file. */
interface Saved {
  readonly tokens: readonly number[];
  readonly path: string;
  /** False if it could not be saved. */
  readonly ready: Promise<boolean>;
  /** Sequences that wait to load it or are loading it: its file stays while there are any. */
  users: number;
}

/** What a beginning must save in tokens before it is worth a file, and before a file is worth loading. */
const worthSaving = 64;
const worthLoading = 32;
/** Beginnings that are kept on disk, the tokens of one at most, and the prompts that new ones are compared with. */
const mostSaved = 4;
const longestSaved = 4096;
const mostRecent = 32;
/** A sequence is continued if this share of what it holds begins the new prompt (a turn later), or this share of the prompt (asked again). */
const continued = 0.75;
const repeated = 0.95;

const folderName = 'ludus-states-';

export class Lanes<Lane extends { readonly sequence: LaneSequence }> {
  /** Free sequences, the longest unused first. */
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
   * Runs on a free sequence that holds as much of the prompt as is known anywhere. Anyone who calls sees to it that one is free. `read` tells how
   * many tokens the sequence has read for this call.
   */
  async use<T>(prompt: readonly number[], run: (lane: Lane, read: () => number) => Promise<T>): Promise<T> {
    const lane = this.#take(prompt);
    const { sequence } = lane;
    const before = sequence.tokenMeter.usedInputTokens;
    this.#recent.push(prompt);
    if (this.#recent.length > mostRecent) this.#recent.shift();
    try {
      // Anyone who asks at the same moment is known by then, so that the first of them reads what all share, and nobody else does.
      if (this.size > 1) await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#prepare(sequence, prompt);
      return await run(lane, () => sequence.tokenMeter.usedInputTokens - before);
    } finally {
      this.#free.push(lane);
    }
  }

  /** The sequence of the same conversation a turn earlier, or of the same question; else the one that was not used for longest. */
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

  /** Brings a sequence as far as any known state goes. What cannot be saved or loaded is read, which is slower and nothing else. */
  async #prepare(sequence: LaneSequence, prompt: readonly number[]): Promise<void> {
    if (this.size === 1 || sequence.saveStateToFile === undefined) return;
    // The last token is always read again: the answer is made from it.
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

  /** A branch: copies a free sequence into a second one. The first keeps its own for the caller that continues it. */
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
    // One that someone waits for goes with a later one.
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

/** The one that measures most, the first of equals. */
function longest<T>(list: readonly T[], measure: (item: T) => number): T | undefined {
  return list.reduce<T | undefined>((best, item) => (best === undefined || measure(item) > measure(best) ? item : best), undefined);
}

async function load(sequence: LaneSequence, saved: Pick<Saved, 'path' | 'ready' | 'users'>): Promise<void> {
  saved.users++;
  try {
    if (!(await saved.ready)) return;
    // What cannot be loaded is read. A sequence that still held something would not know of it afterwards, and read from a wrong place.
    await sequence.clearHistory?.();
    await sequence.loadStateFromFile?.(saved.path, { acceptRisk: true }).catch(() => sequence.clearHistory?.());
  } finally {
    saved.users--;
  }
}

/** How many tokens two lists have in common from their beginning. */
function overlap(item: readonly number[] = [], other: readonly number[]): number {
  const most = Math.min(item.length, other.length);
  let at = 0;
  while (at < most && item[at] === other[at]) at++;
  return at;
}
