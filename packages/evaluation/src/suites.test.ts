import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { expect, it } from 'vitest';
import { loadSuite } from './loaders.ts';
import { suiteRun } from './scoring/suites/index.ts';
import { suiteBehind } from './suites.ts';

it('the suite of a run is the file of its name in the folder, as long as that is what was played', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ludus-suites-'));
  const write = (expected: string) => writeFileSync(join(cwd, 'faq.csv'), `id,input,expected\nopening,When?,${expected}\n`);
  write('9:00');
  const run = suiteRun(await loadSuite('./faq.csv', cwd, Trust.request));
  expect((await suiteBehind(run, undefined, cwd, Trust.request))?.name).toBe('faq');
  write('10:00');
  expect(await suiteBehind(run, undefined, cwd, Trust.request)).toBeNull();
  expect(await suiteBehind('nothing-0a1b2c3d', undefined, cwd, Trust.request)).toBeNull();
  rmSync(cwd, { recursive: true });
});
