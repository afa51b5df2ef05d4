/** @file Helpers of the tests of stores in files. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { start } from './logs.cases.ts';
import { sqliteStore } from './open-store.ts';

export const directory = mkdtempSync(join(tmpdir(), 'ludus-sqlite-'));

export const unhandled: unknown[] = [];

export const note = (reason: unknown) => unhandled.push(reason);

export const rules = 'These are the rules of the game, and they are long. '.repeat(20);

export const telling = (text: string): EpisodeEvent[] => [start(), { kind: 'message', to: ['a'], text }];

/** Runs JavaScript in another process; `sqliteStore`, `log` and the arguments are available. */
export function child(code: string, ...args: string[]) {
  const opening = `import { sqliteStore } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)};
    import { writeSync } from 'node:fs';
    const args = process.argv.slice(1);
    const start = { kind: 'start', environment: 'duel@1', task: {}, seed: 7, seats: ['a'], cast: { a: 'ann' } };
    const say = (line) => writeSync(1, line + '\\n');`;
  return ['--input-type=module', '-e', `${opening}\n${code}`, ...args];
}

export async function withStore(path: string, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await sqliteStore(path);
  await use(store);
  await store.close();
}
