import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { jobsCases } from './job-queue.cases.ts';
import { rejectionOf } from './logs.cases.ts';
import { openSharedStore } from './open-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'ludus-jobs-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;

jobsCases('sqlite', () => {
  const file = join(directory, `${files++}.db`);
  return () => openSharedStore(file);
});

it('[J12] openSharedStore accepts only files and servers', async () => {
  expect(await rejectionOf(openSharedStore('memory:'))).toContain('Workers need a store in a file or at');
  expect(await rejectionOf(openSharedStore('http://x/'))).toContain('"http://x/"');
});
