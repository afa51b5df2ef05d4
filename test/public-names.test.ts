/** @file The front door is a checked-in list: a name appears or disappears on purpose, is explained, and loads nothing that it does not need. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { apiDoc, apiEntries, doors, namesOf } from '../scripts/api-doc.ts';

const root = join(import.meta.dirname, '..');
const list = join(root, 'test', 'public-names.txt');

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

it('public names equal the checked-in list (UPDATE_NAMES=1 rewrites it)', () => {
  const names = Object.keys(doors).flatMap((door) =>
    namesOf(door)
      .toSorted(byName)
      .map(({ name, isType }) => `${door} · ${isType ? 'type ' : ''}${name}`),
  );
  if (process.env['UPDATE_NAMES'] === '1') writeFileSync(list, `${names.join('\n')}\n`);
  expect(readFileSync(list, 'utf8').trim().split('\n')).toEqual(names);
});

it.each(Object.entries(doors))('every value listed at %s can be imported', async (door, file) => {
  const exported: Record<string, unknown> = await import(`../src/exports/${file}.ts`);
  const values = namesOf(door).filter(({ isType }) => !isType);
  expect(Object.keys(exported).sort()).toEqual(values.map(({ name }) => name).sort());
});

it('the package exports every door and no other, with its types before its code; own files find them too', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Record<string, string>> };
  for (const [door, file] of Object.entries(doors))
    expect(Object.entries(exports[door.replace('ludus', '.')] ?? {})).toEqual([
      ['types', `./dist/exports/${file}.d.ts`],
      ['default', `./dist/exports/${file}.js`],
    ]);
  expect(Object.keys(exports).sort()).toEqual([...Object.keys(doors).map((door) => door.replace('ludus', '.')), './package.json'].sort());
  const hook = readFileSync(join(root, 'src', 'workspace', 'programs.ts'), 'utf8');
  for (const [door, file] of Object.entries(doors)) expect(hook).toMatch(new RegExp(`'?${door}'?: '../exports/${file}'`));
});

it('an example imports every door', () => {
  const text = namesIn('examples', '.ts')
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  for (const door of Object.keys(doors)) expect(text).toContain(`from '${door}'`);
});

it('docs/api.md is what the code says of its public names, each in a sentence (npm run api rewrites it)', () => {
  const entries = apiEntries();
  expect(entries.filter(({ about }) => !/\w.*[.?…]$/.test(about)).map(({ door, name }) => `${door} · ${name}`)).toEqual([]);
  expect(readFileSync(join(root, 'docs', 'api.md'), 'utf8')).toBe(apiDoc(entries));
});

it('every function, class and constant of a door is imported by an example or a program of a document, or explained in one', () => {
  const programs = [...namesIn('examples', '.ts'), ...namesIn('src/cli/commands/new', '.ts'), 'src/cli/templates.ts'];
  const documents = ['README.md', ...namesIn('docs', '.md').filter((file) => file !== join('docs', 'api.md'))];
  const shown = new Set<string>();
  for (const file of [...programs, ...documents])
    for (const [, list] of readFileSync(join(root, file), 'utf8').matchAll(/import (?:type )?\{([^}]*)\} from 'ludus/g))
      for (const [name] of (list as string).matchAll(/\w+/g)) shown.add(name);
  for (const file of documents)
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(/`(?:new )?([A-Za-z]\w*)(?:\([^`]*\))?`/g))
      shown.add(name as string);
  const values = Object.keys(doors).flatMap((door) => namesOf(door).filter(({ isType }) => !isType));
  expect(values.filter(({ name }) => !shown.has(name)).map(({ door, name }) => `${door} · ${name}`)).toEqual([]);
});

function namesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/** Packages that a source file loads at once, and those of everything it imports, each with the file that does. */
function loadedBy(start: string): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set([start]);
  for (const file of seen) {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, isType, target] of text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\bfrom\s+)?'([^']+)'/gm)) {
      if (isType !== undefined) continue;
      if (!(target as string).startsWith('.')) packages.set(target as string, file);
      else seen.add(join(dirname(file), target as string));
    }
  }
  return packages;
}

it.each(Object.entries(doors))('%s loads no package before it is used, but for servers those that serve', (door, file) => {
  const packages = [...loadedBy(`exports/${file}.ts`).keys()].filter((name) => !name.startsWith('node:'));
  const allowed = door === 'ludus/servers' ? /^(hono|@hono\/node-server|ws|@modelcontextprotocol\/server|@a2a-js\/sdk)(\/|$)/ : /^$/;
  expect(packages.filter((name) => !allowed.test(name))).toEqual([]);
});

it('would notice a package that is loaded at once', () => {
  expect(loadedBy('store/sqlite.ts').has('kysely') || loadedBy('store/database.ts').has('kysely')).toBe(true);
});
