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
  const exported: Record<string, unknown> = await import(`../packages/ludus-agents/src/${file}.ts`);
  const values = namesOf(door).filter(({ isType }) => !isType);
  expect(Object.keys(exported).sort()).toEqual(values.map(({ name }) => name).sort());
});

it('the package exports exactly the listed entry points', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', 'ludus-agents', 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const publicEntries = Object.entries(exports).filter(([entry]) => !/^\.\/(internal\/\*|package\.json)$/.test(entry));
  expect(publicEntries).toEqual(Object.entries(doors).map(([door, file]) => [door.replace('ludus-agents', '.'), `./src/${file}.ts`]));
});

it('the examples import every entry point', () => {
  const text = namesIn('examples', '.ts')
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  for (const door of Object.keys(doors)) expect(text).toContain(`from '${door}'`);
});

it('the API reference explains every public name in a sentence', () => {
  const entries = apiEntries();
  expect(entries.filter(({ about }) => !/\w.*[.?…]$/.test(about)).map(({ door, name }) => `${door} · ${name}`)).toEqual([]);
  const page = apiDoc(entries);
  for (const { name } of entries) expect(page).toContain(`### \`${name}\``);
});

it('every exported function, class, and constant is used in an example or document, or explained', () => {
  const programs = [...namesIn('examples', '.ts'), ...namesIn('packages/ludus-agents/src/starters', '.ts')];
  const documents = [
    'README.md',
    ...['docs', 'docs/how-to', 'docs/reference', 'docs/tutorials']
      .flatMap((place) => namesIn(place, '.md'))
      .filter((file) => file !== join('docs', 'api.md')),
  ];
  const names = new Set<string>();
  for (const file of [...programs, ...documents])
    for (const [, list] of readFileSync(join(root, file), 'utf8').matchAll(/import (?:type )?\{([^}]*)\} from 'ludus-agents/g))
      for (const [name] of (list as string).matchAll(/\w+/g)) names.add(name);
  for (const file of documents)
    for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(/`(?:new )?([A-Za-z]\w*)(?:\([^`]*\))?`/g))
      names.add(name as string);
  const values = Object.keys(doors).flatMap((door) => namesOf(door).filter(({ isType }) => !isType));
  expect(values.filter(({ name }) => !names.has(name)).map(({ door, name }) => `${door} · ${name}`)).toEqual([]);
});

function namesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/** Packages that a source file loads at once, and those of everything it imports, each with the file that does. */
function loadedBy(start: string): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  const visited = new Set([start]);
  for (const file of visited) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, isType, target] of text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\bfrom\s+)?'([^']+)'/gm)) {
      if (isType !== undefined) continue;
      const [, name, path] = /^(?:@ludus-agents\/)?([\w-]+)\/internal\/(.+)$/.exec(target as string) ?? [];
      if (name !== undefined) visited.add(join('packages', name, 'src', `${path}.ts`));
      else if ((target as string).startsWith('.')) visited.add(join(dirname(file), target as string));
      else packages.set(target as string, file);
    }
  }
  return packages;
}

it.each(Object.entries(doors))('%s loads no packages on import, except server packages for servers', (door, file) => {
  const packages = [...loadedBy(`packages/ludus-agents/src/${file}.ts`).keys()].filter((name) => !name.startsWith('node:'));
  const allowed = door === 'ludus-agents/servers' ? /^(hono|@hono\/node-server|ws|@modelcontextprotocol\/server|@a2a-js\/sdk)(\/|$)/ : /^$/;
  expect(packages.filter((name) => !allowed.test(name))).toEqual([]);
});

it('the import check detects a package that is loaded on import (control)', () => {
  expect(loadedBy('packages/store/src/sqlite.ts').has('kysely') || loadedBy('packages/store/src/database.ts').has('kysely')).toBe(true);
});
