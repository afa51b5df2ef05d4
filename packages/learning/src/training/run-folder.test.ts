import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newestRun, readRun } from './run-folder.ts';

const here = mkdtempSync(join(tmpdir(), 'ludus-folders-'));
afterAll(() => rmSync(here, { recursive: true }));

it('newestRun finds a run by name, and the newest run of a recipe', () => {
  const called = (name: string) => basename(newestRun(here, name));
  expect(called('kuhn-lm')).toBe('kuhn-lm');
  for (const [day, name] of ['kuhn-lm-1', 'kuhn-lm-3', 'kuhn-lm-2', 'kuhn-lm-other', 'kuhn-lmx-9'].entries()) {
    const folder = join(here, '.ludus', 'training', name);
    mkdirSync(folder, { recursive: true });
    utimesSync(folder, day, day);
  }
  expect(called('kuhn-lm')).toBe('kuhn-lm-2');
  expect(called('kuhn-lm-1')).toBe('kuhn-lm-1');
  expect(called('kuhn')).toBe('kuhn');
});

it('readRun rejects a run in the old recipe format', () => {
  const folder = join(here, 'old');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ recipe: { kind: 'language', name: 'kuhn-lm', games: 5 }, seed: 1 }));
  expect(() => readRun(folder)).toThrow(/was trained with an old recipe format that is/);
  expect(() => readRun(join(here, 'none'))).toThrow(/No training run at/);
});
