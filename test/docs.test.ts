/** @file Documents that are made from the code are up to date, and the maps show what is there. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingNames } from '@ludus-agents/agents/internal/llm/settings';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import { published } from '@ludus-agents/learning/internal/rl/recipes/index';
import { describe, expect, it } from 'vitest';
import { linesOf, rowsInDocument } from '../scripts/lines.ts';
import { methodsDoc } from '../scripts/methods-doc.ts';
import { worldsDoc } from '../scripts/worlds-doc.ts';

const root = join(import.meta.dirname, '..');
/** Documents that people read to use or change the project; decisions speak of their own time. */
const written = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SPEC.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^(decisions|\.vitepress)/.test(name))
    .map((name) => join('docs', name)),
];
/** Pages that the build writes; a clone has none of them before. */
const generated = ['api', 'methods', 'worlds'].map((name) => join('docs', `${name}.md`));
const isThere = (path: string) => generated.includes(path) || existsSync(join(root, path));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('documents', () => {
  it('have a section for every environment and every recipe', async () => {
    const [worlds, methods] = [await worldsDoc(), methodsDoc()];
    for (const name of environmentNames()) expect(worlds).toContain(`## ${name}\n`);
    for (const { name } of published) expect(methods).toContain(`\`ludus train ${name}\``);
  });

  it('describe exactly the settings of a language agent in docs/reference/minds.md', () => {
    const table = /\| setting [\s\S]*?\n\n/.exec(read('docs/reference/minds.md'))?.[0] ?? '';
    const observations = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(observations.sort()).toEqual([...settingNames].sort());
  });

  it('include every rule that a test cites in SPEC.md', () => {
    const spec = read('SPEC.md');
    const files = ['packages', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    );
    const cited = new Set<string>();
    for (const file of files.filter((name) => /\.(test|cases)\.ts$/.test(name)))
      for (const match of read(file).matchAll(/\bit(?:\.each\([^)]*\))?\(\s*['"`]\[([A-Z]\d+)\]/g)) cited.add(match[1]!);
    expect(cited.size).toBeGreaterThan(30);
    expect([...cited].filter((rule) => !spec.includes(`**${rule}**`)).sort()).toEqual([]);
  });

  it('show, generate, or describe every file that a how-to command reads', () => {
    const unexplained = written
      .filter((name) => name.startsWith(join('docs', 'how-to')))
      .flatMap((name) => {
        const page = read(name);
        const blocks = [...page.matchAll(/^```(\w*)(?: \[([\w./-]+)\])?\n([\s\S]*?)^```$/gm)];
        const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
        const commands = blocks.flatMap(([, language, , text]) => (language === 'sh' ? text!.split('\n') : []));
        const created = commands.flatMap((command) => [
          ...[...command.matchAll(/(?:\s-o|--\w+|>) (?:\.\/)?([\w./-]+\.\w+)/g)].map(([, file]) => file!),
          ...[...command.matchAll(/ludus new \w+ ([a-z][\w-]*)/g)].flatMap(([, file]) => [`${file}.json`, `${file}.mts`]),
        ]);
        const printedFiles = blocks.map(([, , file]) => file);
        const files = commands.flatMap((command) =>
          [...command.replace(/#.*/, '').matchAll(/[\s,:]\.?\/?([\w/-]+\.(?:json|jsonl|csv|ts|mts|mjs|png|txt))(?=[\s,]|$)/g)].map(
            ([, file]) => file!,
          ),
        );
        return files
          .filter((file) => !printedFiles.includes(file) && !created.includes(file) && !prose.includes(file))
          .map((file) => `${name}: ${file}`);
      });
    expect(unexplained).toEqual([]);
  });

  it('map every package in the README and nothing else', () => {
    const map = /```\n(packages\/[\s\S]*?)```/.exec(read('README.md'))?.[1] ?? '';
    for (const name of readdirSync(join(root, 'packages'))) expect(map, name).toContain(`  ${name}/`);
    for (const [, name] of map.matchAll(/^ {2}([\w-]+)\//gm))
      expect(existsSync(join(root, 'packages', name as string)), `${name} in the map`).toBe(true);
  });

  it('give package sizes within 10% in ARCHITECTURE.md (node scripts/lines.ts --write)', () => {
    const rows = rowsInDocument();
    expect(rows.map(([name]) => name).sort()).toEqual(readdirSync(join(root, 'packages')).filter((name) => name !== 'create-ludus-agents'));
    for (const [name, lines] of rows) expect(Math.abs(lines / linesOf(name) - 1), `${name}: ${linesOf(name)} lines`).toBeLessThan(0.1);
  });

  it('link only to existing pages', () => {
    for (const file of written)
      for (const [, target] of read(file).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g))
        expect(isThere(join(dirname(file), target as string)), `${file} → ${target}`).toBe(true);
  });

  it('name only paths that exist in the repository', () => {
    for (const file of written)
      for (const [, path] of read(file).matchAll(/`((?:packages|test|scripts|examples|docs|benchmarks|deploy)\/[\w./-]*[\w-])\/?`/g))
        expect(
          ['', '.ts', '.test.ts'].some((ending) => isThere(`${path}${ending}`)),
          `${path} in ${file}`,
        ).toBe(true);
  });
});
