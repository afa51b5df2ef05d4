/** @file A damaged store is found by doctor, never written to, and exported as far as it can be read. */

import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const store = join(here, 'whole.sqlite');
writeFileSync(join(here, 'plan.json'), JSON.stringify({ name: 'base', environments: ['kuhn-poker'], seeds: 30 }));
const plan = ['run', 'plan.json'];

/** A copy whose last page is noise, as the tail of a file that was not written through. */
function damagedCopy(name: string): string {
  const path = join(here, name);
  copyFileSync(store, path);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, statSync(path).size - 8192);
  closeSync(file);
  return path;
}

describe('a damaged store', () => {
  it('is reported by doctor, rejected by commands that write, and left unchanged', async () => {
    expect((await ludus(here, [...plan, '--store', store])).code).toBe(0);
    expect((await ludus(here, ['doctor', '--store', store])).out).toContain('SQLite finds no damage');
    const damaged = damagedCopy('damaged.sqlite');
    const before = readFileSync(damaged);
    const run = await ludus(here, [...plan, '--store', damaged]);
    expect(run.code).not.toBe(0);
    expect(run.err).toContain('is damaged');
    expect(run.err).toContain('ludus doctor');
    expect(readFileSync(damaged).equals(before)).toBe(true);
    const { code, out } = await ludus(here, ['doctor', '--store', damaged]);
    expect(code).toBe(1);
    expect(out).toContain('the file is damaged');
  });

  it('with one damaged episode exports all others, names it, and exits with 1', async () => {
    const path = join(here, 'one.sqlite');
    copyFileSync(store, path);
    const database = new DatabaseSync(path);
    database.exec('update chunks set body = substr(body, 2) where episode = (select max(position) from episodes)');
    database.close();
    const { code, err } = await ludus(here, ['data', 'export', '--store', path, '-o', 'some.jsonl']);
    expect(code).toBe(1);
    expect(err).toContain('left out: damaged episode');
    expect((await ludus(here, ['data', 'import', 'some.jsonl', '--store', 'new.sqlite'])).code).toBe(0);
    const lines = readFileSync(join(here, 'some.jsonl'), 'utf8').split('\n');
    expect(lines.filter((line) => line.startsWith('{"kind":"episode"'))).toHaveLength(29);
    const dataset = await ludus(here, ['data', 'export', '--store', path, '--format', 'openai', '-o', 'data']);
    expect(dataset.code).toBe(1);
    expect(dataset.err).toContain('damaged episode');
    for (const format of ['states', 'tensorboard']) {
      const exported = await ludus(here, ['data', 'export', '--store', path, '--format', format, '-o', format]);
      expect([exported.code, exported.err], format).toEqual([1, expect.stringContaining('left out: 1 × damaged episode')]);
      expect(exported.err).toContain('29 ');
    }
    let received = 0;
    const collector = createServer((request, response) => {
      received++;
      request.resume().on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
    const outcome = await ludus(here, ['data', 'export', '--store', path, '--format', 'otel', '-o', address]);
    collector.closeAllConnections();
    collector.close();
    expect([outcome.code, outcome.err]).toEqual([1, expect.stringContaining('left out: 1 × damaged episode')]);
    expect(received).toBeGreaterThanOrEqual(29);
    expect((await ludus(here, ['doctor', '--fix', '--store', path])).out).toContain('moved to');
    expect((await ludus(here, ['data', 'export', '--store', path, '-o', 'rest.jsonl'])).code).toBe(0);
  });
});
