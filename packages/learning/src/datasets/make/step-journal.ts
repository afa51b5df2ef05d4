/**
 * @file The journal of a pipeline, next to its output: one line for every completed step, appended and flushed before the next begins.
 *
 * A killed process leaves complete lines and at most one partial line, which is removed when the journal is reopened. So a step in the
 * journal never runs again; a call that was active when the process died is repeated.
 */

import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { equal, Fault, type Json, type JsonObject, printable } from '@ludus-agents/kernel/internal/core/index';
import { isAlive, toDiskFault } from '@ludus-agents/store/internal/files/atomic-file';

/** One step of one item: its result, and the cost of its calls. */
export type StepRecord = {
  readonly item: number;
  readonly step: string;
  readonly value: Json;
  readonly calls: number;
  readonly tokens: number;
  /** US dollars; null if the price is unknown. */
  readonly cost: number | null;
};

export class StepJournal {
  readonly #file: number;
  readonly #lock: string;
  readonly #steps = new Map<string, StepRecord>();

  private constructor(file: number, lock: string) {
    this.#file = file;
    this.#lock = lock;
  }

  /** Opens the journal at a path, or creates one. `head` identifies the work: an existing journal with another one is refused. */
  static open(path: string, head: JsonObject): StepJournal {
    const lock = `${path}.lock`;
    takeLock(lock);
    let journal: StepJournal;
    try {
      journal = new StepJournal(openSync(path, 'a+'), lock);
    } catch (thrown) {
      rmSync(lock, { force: true });
      throw toDiskFault(thrown, path);
    }
    try {
      journal.#read(path, head);
      return journal;
    } catch (thrown) {
      journal.close();
      throw thrown;
    }
  }

  get steps(): readonly StepRecord[] {
    return [...this.#steps.values()];
  }

  find(item: number, step: string): StepRecord | undefined {
    return this.#steps.get(`${item} ${step}`);
  }

  add(record: StepRecord): void {
    this.#append(record);
    this.#steps.set(`${record.item} ${record.step}`, record);
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#lock, { force: true });
  }

  #append(value: Json): void {
    writeSync(this.#file, `${JSON.stringify(value)}\n`);
    fsyncSync(this.#file);
  }

  #read(path: string, head: JsonObject): void {
    const bytes = readFileSync(path);
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) ftruncateSync(this.#file, whole);
    const lines = bytes
      .subarray(0, whole)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    const [first, ...steps] = lines.map((line) => parseLine(line, path));
    if (first === undefined) this.#append(head);
    else if (!equal(first, head)) throw new Fault('input', otherwise(path, first, head));
    for (const step of steps) {
      const record = step as StepRecord;
      this.#steps.set(`${record.item} ${record.step}`, record);
    }
  }
}

function parseLine(line: string, path: string): JsonObject {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    throw new Fault('input', `${path} is damaged. Delete it; its contents will be made again.`, { code: 'E_INVALID_DOCUMENT' });
  }
}

function otherwise(path: string, jsonObject: JsonObject, wanted: JsonObject): string {
  if (jsonObject['kind'] !== wanted['kind']) return `${path} is not a journal of "ludus data make"; name another output.`;
  const names = Object.keys(wanted).filter((name) => !equal(jsonObject[name] ?? null, wanted[name] ?? null));
  const isHash = (value: Json | undefined) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  const differences = names.map((name) =>
    isHash(wanted[name])
      ? `${name} has changed`
      : `${name} was ${JSON.stringify(jsonObject[name] ?? null)} and is ${JSON.stringify(wanted[name] ?? null)}`,
  );
  return printable(`${path} was started with other settings: ${differences.join('; ')}. Use the same settings, or choose another output.`);
}

/** Only one process writes a file at a time. A lock is ignored if its process has ended. */
function takeLock(path: string): void {
  for (let tries = 0; tries < 2; tries++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return;
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== 'EEXIST') throw toDiskFault(thrown, path);
      const owner = Number(readFileSync(path, 'utf8'));
      if (owner > 0 && isAlive(owner)) throw new Fault('input', `Process ${owner} is already making this file. Wait for it, or stop it.`);
      rmSync(path, { force: true });
    }
  }
  throw new Fault('input', `${path} reappears when it is removed. Is another process making this file?`);
}
