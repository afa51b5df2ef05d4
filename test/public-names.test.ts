/** @file The front door is a checked-in list: a name appears or disappears on purpose. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const list = join(root, 'test', 'public-names.txt');

/** Names exported from the front door, types included, read from its text: every export is written out there. */
function publicNames(): string[] {
  const text = readFileSync(join(root, 'src', 'index.ts'), 'utf8');
  expect(text).not.toMatch(/export \*/);
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap((match) => (match[1] as string).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .sort((a, b) => (a.replace('type ', '') < b.replace('type ', '') ? -1 : 1));
}

it('public names equal the checked-in list (UPDATE_NAMES=1 rewrites it)', async () => {
  const names = publicNames();
  if (process.env['UPDATE_NAMES'] === '1') writeFileSync(list, `${names.join('\n')}\n`);
  expect(readFileSync(list, 'utf8').trim().split('\n')).toEqual(names);
});

it('every listed value can be imported', async () => {
  const door: Record<string, unknown> = await import('../src/index.ts');
  const values = publicNames().filter((name) => !name.startsWith('type '));
  expect(Object.keys(door).sort()).toEqual(values.sort());
});
