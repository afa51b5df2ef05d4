import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EpisodeEvent, Json, Store } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { importJsonl } from './import-jsonl.ts';
import { exportJsonl } from './jsonl.ts';
import { log, rejectionOf, start } from './logs.cases.ts';
import { memoryStore, sqliteStore } from './open-store.ts';
import { rules, telling, withStore } from './sqlite.cases.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-packed-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };

/** What packing does something about: long texts, lists that grow, parts within parts, keys and texts that look like references. */
function minds(): readonly Json[] {
  const lookAlike = `{"~":"${'a'.repeat(64)}"}`;
  const chat = Array.from({ length: 60 }, (_, i) => ({ role: 'user', content: i % 7 === 0 ? `${rules} ${i}` : `line ${i}` }));
  return [
    chat.slice(0, 20),
    chat,
    [chat.slice(0, 40), { inner: chat }],
    { '~': 'a'.repeat(64), '~~': [lookAlike] },
    lookAlike.repeat(200),
    '"\\'.repeat(3000),
  ];
}

/** The same logs in any store: one in one piece, one turn by turn, one with long texts, one without events after its start. */
async function fill(store: Store): Promise<void> {
  const events: EpisodeEvent[] = [
    start(),
    ...minds().map((mind): EpisodeEvent => ({ kind: 'action', seat: 'a', action: { text: rules }, mind })),
  ];
  await store.append('whole', 0, log(3));
  for (const [i, event] of events.entries()) await store.append('parts', i, [event]);
  await store.append('rules', 0, telling(rules.repeat(4)));
  await store.append('begun', 0, [start()]);
  await store.putScores('whole', [
    { name: 'won', value: 1, status: 'ok', evidence: [{ episode: 'whole', event: 0, quote: rules, supports: true }], cost },
  ]);
  await store.putScores('whole', [{ name: 'polite', value: 0, status: 'ok', evidence: [], cost }]);
}

async function linesOf(store: Store): Promise<readonly string[]> {
  return Array.fromAsync(exportJsonl(store));
}

describe('packed logs', () => {
  it('[S26] are exported from a file exactly as newly packed, and survive a round trip', async () => {
    const memory = memoryStore();
    await fill(memory);
    const lines = await linesOf(memory);
    await withStore(join(directory, 'packed.sqlite'), async (store) => {
      await fill(store);
      expect(await linesOf(store)).toEqual(lines);
      await withStore(join(directory, 'copy.sqlite'), async (copy) => {
        await importJsonl(copy, await linesOf(store));
        expect(await copy.events('parts')).toEqual(await memory.events('parts'));
        expect(await linesOf(copy)).toEqual(lines);
      });
    });
  });

  it('[S22] are not exported if damaged', async () => {
    const damages = {
      'update chunks set body = substr(body, 2)': 'damaged',
      'update score_bodies set body = substr(body, 2)': 'damaged',
      "update parts set part = replace(part, 'rules', 'rulez')": '… was changed. Restore a copy.',
      'delete from parts': '… that is missing. The data is damaged or',
    };
    for (const [i, [sql, says]] of Object.entries(damages).entries()) {
      const file = join(directory, `damaged-${i}.sqlite`);
      await withStore(file, fill);
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      const store = await sqliteStore(file);
      expect(await rejectionOf(linesOf(store))).toContain(says);
      await store.close();
    }
  });
});
