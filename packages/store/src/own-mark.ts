/**
 * @file Marks data created by this installation. A mark is an HMAC under a secret in the user's own settings folder, stored in a file next
 * to the store. So neither an imported file nor a downloaded folder can contain a valid one.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { canonical, type Json } from '@ludus-agents/kernel/internal/core/index';
import { makeFolderSync, writeFileAtomicSync } from './files/atomic-file.ts';
import type { WorkingFolder } from './stores.ts';

/** The folder of the user's own settings: LUDUS_HOME, else ~/.config/ludus. It is outside every project folder. */
export function homeFolder({ env }: Pick<WorkingFolder, 'env'>): string {
  return env['LUDUS_HOME'] || process.env['LUDUS_HOME'] || join(homedir(), '.config', 'ludus');
}

const secrets = new Map<string, Buffer>();

/** The secret of this installation. Where it cannot be written it lasts as long as the process: then nothing continues after a restart. */
function secretOf(place: Pick<WorkingFolder, 'env'>): Buffer {
  const file = join(homeFolder(place), 'installation.key');
  const knownSecret = secrets.get(file);
  if (knownSecret !== undefined) return knownSecret;
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  let secret = Buffer.from(text, 'hex');
  if (!/^[0-9a-f]{64}$/.test(text)) {
    secret = randomBytes(32);
    try {
      makeFolderSync(dirname(file), 0o700);
      writeFileAtomicSync(file, `${secret.toString('hex')}\n`, { mode: 0o600 });
      chmodSync(file, 0o600);
    } catch (thrown) {
      process.emitWarning(`The installation's identifier cannot be saved in ${file} (${(thrown as Error).message}); set LUDUS_HOME.`);
    }
  }
  secrets.set(file, secret);
  return secret;
}

/** The mark of a value: only this installation can make it. */
export function markOf(place: Pick<WorkingFolder, 'env'>, value: Json): string {
  return createHmac('sha256', secretOf(place)).update(canonical(value)).digest('hex');
}

/** How many marks stay in memory. */
const mostRecent = 1000;

/** The marks of one folder. A mark is appended before its thing is written, one line each. */
export class OwnMarks {
  readonly #place: WorkingFolder;
  readonly #file: string;
  /** Marks that were added here: a server asks for them soon after. */
  readonly #recent = new Set<string>();

  constructor(place: WorkingFolder) {
    this.#place = place;
    this.#file = join(place.cwd, '.ludus', 'begun');
  }

  /** How many marks are certainly in memory. */
  get size(): number {
    return this.#recent.size;
  }

  add(value: Json): void {
    const mark = markOf(this.#place, value);
    mkdirSync(dirname(this.#file), { recursive: true });
    // The line break comes first: a line that a crash cut off does not swallow this one.
    appendFileSync(this.#file, `\n${mark}\n`, { mode: 0o600, flush: true });
    this.#recent.add(mark);
    const [oldest] = this.#recent;
    if (this.#recent.size > mostRecent) this.#recent.delete(oldest as string);
  }

  has(value: Json): boolean {
    return this.only([value]).length > 0;
  }

  /** The values that have a mark. Older marks, and marks of another server in the same folder, are only in the file. */
  only<T extends Json>(values: readonly T[]): readonly T[] {
    const marks = new Map(values.map((value) => [value, markOf(this.#place, value)]));
    const missing = [...marks.values()].filter((mark) => !this.#recent.has(mark));
    const text = missing.length > 0 && existsSync(this.#file) ? readFileSync(this.#file, 'latin1') : '';
    // A few are looked for in the text; that costs less than to divide it.
    const lines = missing.length > 9 ? new Set(text.split('\n')) : { has: (mark: string) => text.includes(`\n${mark}\n`) };
    return values.filter((value) => {
      const mark = marks.get(value) as string;
      return this.#recent.has(mark) || lines.has(mark);
    });
  }
}
