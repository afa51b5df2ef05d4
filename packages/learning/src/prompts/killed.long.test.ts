/** @file A run killed at twenty random moments ends with the same ledger, archive and report as one that was left alone. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { sqliteStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ludus-killed-long-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = join(import.meta.dirname, 'killed.cases.ts');
const child = (name: string, engine: string, killAt: number) =>
  spawnSync(process.execPath, [script, join(folder, `${name}.sqlite`), join(folder, `${name}.calls`), engine, `${killAt}`], {
    encoding: 'utf8',
  });
const callsOf = (name: string) =>
  readFileSync(join(folder, `${name}.calls`), 'utf8')
    .trim()
    .split('\n')
    .sort();
const journal = async (name: string, which: string): Promise<readonly Json[]> => {
  const store = await sqliteStore(join(folder, `${name}.sqlite`));
  const entries = await store.notes('run', which);
  await store.close();
  return entries;
};

describe.each(['gepa', 'skillopt'])('run of %s killed twenty times', (engine) => {
  it('ends like an uninterrupted run and pays for no call twice', async () => {
    const whole = child(`${engine}-whole`, engine, 0);
    expect(whole.status).toBe(0);
    const all = callsOf(`${engine}-whole`).length;
    const dice = rng(1, 'kills', engine);
    let killed = 0;
    // Each kill is so many calls after the last that twenty always fit into the run.
    for (; killed < 20; killed++) if (child(`${engine}-killed`, engine, 1 + dice.int(Math.floor(all / 20))).signal !== 'SIGKILL') break;
    expect(killed).toBe(20);
    const resumed = child(`${engine}-killed`, engine, 0);
    expect(JSON.parse(resumed.stdout)).toEqual(JSON.parse(whole.stdout));
    expect(callsOf(`${engine}-killed`)).toEqual(callsOf(`${engine}-whole`));
    expect(await journal(`${engine}-killed`, 'candidates')).toEqual(await journal(`${engine}-whole`, 'candidates'));
    const sorted = async (name: string) => (await journal(name, 'ledger')).map(canonical).sort();
    expect(await sorted(`${engine}-killed`)).toEqual(await sorted(`${engine}-whole`));
  });
});
