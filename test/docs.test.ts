/** @file Documents that are made from the code are up to date, and the maps show what is there. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { methodsDoc } from '../scripts/methods-doc.ts';
import { worldsDoc } from '../scripts/worlds-doc.ts';
import { settingNames } from '../src/agents/llm/settings.ts';

const root = join(import.meta.dirname, '..');
/** Documents that people read to use or change the project; decisions speak of their own time. */
const written = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SPEC.md'],
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [join('docs', name)] : [])),
];
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('documents', () => {
  it('docs/worlds.md is what the worlds say of themselves (node scripts/worlds-doc.ts rewrites it)', async () => {
    expect(read('docs/worlds.md')).toBe(await worldsDoc());
  });

  it('docs/methods.md is what the recipes say of themselves (node scripts/methods-doc.ts rewrites it)', () => {
    expect(read('docs/methods.md')).toBe(methodsDoc());
  });

  it('docs/minds.md tells of every setting of a language agent, and of no other', () => {
    const table = /\| setting [\s\S]*?\n\n/.exec(read('docs/minds.md'))?.[0] ?? '';
    const told = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(told.sort()).toEqual([...settingNames].sort());
  });

  it('every rule that a test cites stands in SPEC.md', () => {
    const spec = read('SPEC.md');
    const files = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    );
    const cited = new Set<string>();
    for (const file of files.filter((name) => /\.(test|cases)\.ts$/.test(name)))
      for (const match of read(file).matchAll(/\bit(?:\.each\([^)]*\))?\(\s*['"`]\[([A-Z]\d+)\]/g)) cited.add(match[1]!);
    expect(cited.size).toBeGreaterThan(30);
    expect([...cited].filter((rule) => !spec.includes(`**${rule}**`)).sort()).toEqual([]);
  });

  it('the map in the README names every room and file of the core, and nothing that is gone', () => {
    const map = /```\n(src\/[\s\S]*?)```/.exec(read('README.md'))?.[1] ?? '';
    expect(map).not.toBe('');
    const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && readdirSync(join(root, 'src', entry.name)).length > 0,
    );
    for (const room of rooms) expect(map, room.name).toContain(`${room.name}/`);
    for (const [, name] of map.matchAll(/^ {2}([\w-]+\/|[\w.-]+\.ts)/gm))
      expect(existsSync(join(root, 'src', name as string)), `${name} in the map`).toBe(true);
  });

  it('links between documents lead somewhere', () => {
    for (const file of written)
      for (const [, target] of read(file).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g))
        expect(existsSync(join(root, dirname(file), target as string)), `${file} → ${target}`).toBe(true);
  });

  it('paths of the repository that documents name are there', () => {
    for (const file of written)
      for (const [, path] of read(file).matchAll(/`((?:src|test|scripts|examples|docs|benchmarks|studio|deploy)\/[\w./-]*[\w-])\/?`/g))
        expect(
          ['', '.ts', '.test.ts'].some((ending) => existsSync(join(root, `${path}${ending}`))),
          `${path} in ${file}`,
        ).toBe(true);
  });
});
