/** @file The front door is a checked-in list: a name appears or disappears on purpose. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const list = join(root, 'test', 'public-names.txt');

const doors = {
  ludus: 'exports/ludus.ts',
  'ludus/personas': 'exports/personas.ts',
  'ludus/scoring': 'exports/scoring.ts',
  'ludus/learning': 'exports/learning.ts',
  'ludus/servers': 'exports/servers.ts',
  'ludus/testing': 'exports/testing.ts',
};

/** Names exported from a door, types included, read from its text: every export is written out there. */
function namesOf(file: string): string[] {
  const text = readFileSync(join(root, 'src', file), 'utf8');
  expect(text).not.toMatch(/export \*/);
  return [...text.matchAll(/export \{([^}]*)\}/g)]
    .flatMap((match) => (match[1] as string).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .sort((a, b) => (a.replace('type ', '') < b.replace('type ', '') ? -1 : 1));
}

it('public names equal the checked-in list (UPDATE_NAMES=1 rewrites it)', () => {
  const names = Object.entries(doors).flatMap(([door, file]) => namesOf(file).map((name) => `${door} · ${name}`));
  if (process.env['UPDATE_NAMES'] === '1') writeFileSync(list, `${names.join('\n')}\n`);
  expect(readFileSync(list, 'utf8').trim().split('\n')).toEqual(names);
});

it.each(Object.entries(doors))('every value listed at %s can be imported', async (_, file) => {
  const door: Record<string, unknown> = await import(`../src/${file}`);
  const values = namesOf(file).filter((name) => !name.startsWith('type '));
  expect(Object.keys(door).sort()).toEqual(values.sort());
});

it('the package exports every door', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, { default?: string }> };
  for (const [door, file] of Object.entries(doors))
    expect(exports[door.replace('ludus', '.')]?.default).toBe(`./dist/${file.replace('.ts', '.js')}`);
});
