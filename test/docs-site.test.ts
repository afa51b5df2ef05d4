/** @file The documentation site: every page is in the sidebar, every link leads somewhere, and every printed command exists with its options. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPages, messagesByCode } from '../docs/.vitepress/lists.ts';
import { resultNames, resultPage } from '../docs/.vitepress/results.ts';
import { groupsOf, sections } from '../docs/.vitepress/sidebar.ts';
import { folder, ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { figuresOf, pagesIn } from '../scripts/english.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.md') && !/\.vitepress|\[/.test(file),
);
const read = (page: string) => readFileSync(join(docs, page), 'utf8');
const linked = Object.keys(sections).flatMap((section) => groupsOf(docs, section).flatMap(({ items }) => items.map(({ link }) => link)));

/** The id that VitePress gives to a heading. */
function slugOf(heading: string): string {
  return heading
    .replace(/`|\*|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .normalize('NFKD')
    .replace(/[\u0300-\u036F]/g, '')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase();
}

const anchorsOf = (page: string) => new Set([...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => slugOf(heading as string)));

describe('the documentation site', () => {
  it('lists every page once', () => {
    const expected = pages.filter((page) => !page.endsWith('index.md')).map((page) => `/${page.replace(/\.md$/, '')}`);
    expect([...linked].sort()).toEqual(expected.sort());
  });

  it('numbers decisions in order without gaps', () => {
    const numbers = linked.flatMap((link) => /^\/decisions\/(\d{4})-/.exec(link)?.[1] ?? []);
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, '0')));
    for (const link of linked.filter((item) => item.startsWith('/decisions/')))
      expect(read(`${link.slice(1)}.md`)).toMatch(new RegExp(`^# ${Number(/\d{4}/.exec(link)?.[0])}\\. \\S`));
  });

  it('has no broken links, missing headings, or links out of the site', () => {
    const broken = pages.flatMap((page) => {
      const text = read(page)
        .replace(/^```[\s\S]*?^```/gm, '')
        .replace(/`[^`\n]*`/g, '');
      return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
        if (/^(https?|mailto):/.test(link as string)) return [];
        const [path, anchor] = (link as string).split('#') as [string, string | undefined];
        const target = path === '' ? page : normalize(join(dirname(page), path));
        if (target.startsWith('..') || !existsSync(join(docs, target))) return [`${page}: ${link}`];
        return anchor === undefined || anchorsOf(target).has(decodeURI(anchor)) ? [] : [`${page}: ${link}`];
      });
    });
    expect(broken).toEqual([]);
  });

  it('lists built-in objects by kind, and error codes with their messages', async () => {
    const lists = new Map((await listPages()).map(({ name, text }) => [name, text]));
    expect(lists.get('scorers')).toContain('- `return`: ');
    expect(lists.get('suites')).toContain('- `games-core`: ');
    expect(lists.get('errors')).toContain('- `E_UNKNOWN_SEAT`');
    expect(messagesByCode().get('E_INVALID_SEED')?.join(' ')).toContain('{…}');
  });

  it('shows every result file of the benchmarks with its command, date, and figures', () => {
    for (const name of resultNames())
      expect(resultPage(name), name).toMatch(/\| command \| .+\n(?:.*\n)*\| date \| \d{4}-\d\d-\d\d \|\n(?:.*\n)*\| figure \|/);
  });

  it('names the command or result file behind every table of evidence', () => {
    const source = /(?:`|^)(?:npm run|npx |ludus )|benchmarks\/results\/|\.test\.ts|\brows? \d|No command or result file was saved/m;
    const bare = pages
      .filter((page) => page.startsWith('evidence/'))
      .flatMap((page) => {
        const [intro = '', ...parts] = read(page).split(/^(?=#{2,3} )/m);
        return [intro, ...parts]
          .filter((part) => /^\|/m.test(part) && !source.test(part) && !source.test(intro))
          .map((part) => `${page}: ${part.split('\n')[0]}`);
      });
    expect(bare).toEqual([]);
    const named = pages.flatMap((page) => [...read(page).matchAll(/benchmarks\/results\/([\w-]+)\.json/g)].map(([, name]) => name!));
    expect(named.filter((name) => !resultNames().includes(name))).toEqual([]);
  });

  it('has how-to pages that fit on one screen', () => {
    const long = pages.filter((page) => page.startsWith('how-to/') && !page.endsWith('index.md') && read(page).split('\n').length > 60);
    expect(long).toEqual([]);
  });

  it('has reference pages of at most 170 lines', () => {
    const long = pages.filter((page) => page.startsWith('reference/') && read(page).split('\n').length > 170);
    expect(long).toEqual([]);
  });

  it.each(['tutorials', 'how-to', 'explanation', 'reference'])('has short paragraphs and table cells in %s', (section) => {
    const { paragraphsOverFiveLines, cellsOverTwelveWords } = figuresOf(pagesIn(join(docs, section)));
    expect({ paragraphsOverFiveLines, cellsOverTwelveWords }).toEqual({
      paragraphsOverFiveLines: expect.stringMatching(/^0 of [1-9]/),
      cellsOverTwelveWords: expect.stringMatching(/^0 of [1-9]/),
    });
  });

  it('prints commands and options that exist', async () => {
    const here = folder();
    const helps = new Map<string, string>();
    /** The help of a command, or of its part, as in "persona import". */
    async function helpOf(args: readonly string[]): Promise<string> {
      const name = args.join(' ');
      const help = helps.get(name) ?? (await ludus(here, [...args, '--help'])).out;
      helps.set(name, help);
      return help;
    }
    const isPart = (help: string, word: string | undefined) =>
      word !== undefined && /^[a-z]+$/.test(word) && new RegExp(`^Commands:\\n[\\s\\S]*^ {2}${word}\\b`, 'm').test(help);
    const wrong: string[] = [];
    const sources = { 'README.md': readFileSync(join(docs, '..', 'README.md'), 'utf8') } as Record<string, string>;
    for (const page of pages) if (/^(how-to|tutorials)\//.test(page)) sources[page] = read(page);
    for (const [page, text] of Object.entries(sources))
      for (const [, block] of text.matchAll(/^```sh\n([\s\S]*?)^```/gm))
        for (const [, command] of (block as string).matchAll(/\bnpx ludus ([^|\n#]+)/g)) {
          const args = (command as string).trim().split(/\s+/);
          let depth = 1;
          let help = await helpOf(args.slice(0, depth));
          // "config token create" is a part of a part.
          while (isPart(help, args[depth])) help = await helpOf(args.slice(0, ++depth));
          if (help === '' || /^Usage: ludus .* COMMAND/.test(help)) wrong.push(`${page}: ludus ${command}`);
          const takesSeats = /^(play|fork|show explain)\b/.test(command as string);
          for (const word of args.slice(depth))
            if (/^--?[a-z]/i.test(word) && !takesSeats && !new RegExp(`(^|[\\s,])${word}[\\s,=]`, 'm').test(help))
              wrong.push(`${page}: ludus ${command}: ${word}`);
        }
    expect(helps.size).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });
});
