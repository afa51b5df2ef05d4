/** @file Pull the plug at random moments: nothing that was finished is lost, nothing is played twice, every log replays. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rng } from '../src/core/index.ts';
import { cells, episodeId, rehearse } from '../src/engine/plan.ts';
import { replay } from '../src/engine/replay.ts';
import { run } from '../src/engine/run.ts';
import { environment } from '../src/environments/index.ts';
import { openStore } from '../src/store/index.ts';
import { memoryStore } from '../src/store/memory.ts';
import { plan, slow } from './fixtures/crash-run.ts';

const script = join(import.meta.dirname, 'fixtures', 'crash-run.ts');

/** Starts the run and kills it some milliseconds after its store is open; true when it had finished by itself. */
async function killed(file: string, after: number): Promise<boolean> {
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: '' } });
  let output = '';
  const opened = new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      output += text;
      resolve();
    });
  });
  const exited = once(child, 'exit');
  await Promise.race([opened, exited]);
  await sleep(after);
  child.kill('SIGKILL');
  await exited;
  return output.includes('done');
}

it('[E50] 50 kills and a resume: every planned episode exactly once, whole, and equal to an undisturbed run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-crash-'));
  const file = join(folder, 'crash.sqlite');
  const dice = rng(50, 'kills');
  try {
    let kills = 0;
    while (kills < 50 && !(await killed(file, dice.int(60)))) kills++;
    expect(kills, 'the run must be long enough to be killed 50 times').toBe(50);

    const store = await openStore(file);
    const statuses = await store.statuses('crash');
    const finishedBefore = [...statuses.values()].filter((status) => status === 'over').length;
    const report = await run(plan, { store, environment, agent: () => slow, concurrency: 32 });
    expect(report).toMatchObject({ stopped: null, before: finishedBefore, played: report.planned - finishedBefore, ends: { error: 0 } });

    const undisturbed = memoryStore();
    await run(plan, { store: undisturbed, environment, agent: () => slow, concurrency: 256 });
    const sheet = await rehearse(plan, environment);
    const expected = [...cells(plan, sheet)].map((cell) => episodeId('crash', cell)).sort();
    expect([...(await store.statuses('crash')).keys()].sort()).toEqual(expected);
    for (const id of expected) {
      const log = await store.events(id);
      const start = log[0];
      if (start?.kind !== 'start') throw new Error(`${id} has no start`);
      expect(replay(await environment(start.environment), log), id).toBeNull();
      expect(log, id).toEqual(await undisturbed.events(id));
    }
    await store.close();

    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
