import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/fixtures/until.ts';
import { Checkpoints } from './import-threads.ts';

const here = mkdtempSync(join(tmpdir(), 'ludus-checkpoints-'));
afterAll(() => rmSync(here, { recursive: true, force: true }));

describe('a thread that writes commits', () => {
  it('writes them to the file without loss while another connection has it open', async () => {
    const file = join(here, 'some.sqlite');
    const database = new DatabaseSync(file);
    database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table texts (body text)');
    const thread = new Checkpoints(file);
    for (let i = 0; i < 50; i++) database.prepare('insert into texts values (?)').run('word '.repeat(1000));
    const isTakenOver = () => {
      thread.ask();
      return statSync(file).size > 50 * 5000;
    };
    await until(isTakenOver);
    await thread.close();
    expect(database.prepare('select count(*) as n from texts').get()).toMatchObject({ n: 50 });
    expect(database.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    database.close();
  });
});
