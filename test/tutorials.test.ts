/**
 * @file Every tutorial runs exactly as printed: in `npm run test:long` typed into a shell, in `npm test` in this process
 * and without the last steps of one.
 * `UPDATE_TUTORIALS=1 npx vitest run test/tutorials.test.ts` writes the real output and the screenshots of the studio into the pages.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noBrowser } from './browser.ts';
import { amount } from './fixtures/amount.ts';
import { checkPage, patternOf } from './fixtures/printed-pages.ts';
import { openPicture } from './fixtures/tutorial-pictures.ts';

const tutorials = join(import.meta.dirname, '..', 'docs', 'tutorials');
const pages = readdirSync(tutorials).filter((name) => name.endsWith('.md') && name !== 'index.md');

const isShort = amount(1, 0) === 1 && process.env['UPDATE_TUTORIALS'] === undefined;

describe('tutorials', () => {
  it('exist for five kinds of users', () => expect(pages).toHaveLength(5));

  /** Each later step tests 70 cases again. */
  const before: Readonly<Record<string, string>> = isShort ? { 'test-your-bot.md': '4. Fix the bot' } : {};

  it.each(pages)('%s runs as printed', async (name) => {
    const part = before[name];
    const picture = join('..', 'images', `tutorial-${name.replace('.md', '.png')}`);
    expect(readFileSync(join(tutorials, name), 'utf8')).toContain(`](${picture})`);
    const saveTo = process.env['UPDATE_TUTORIALS'] === undefined ? undefined : join(tutorials, picture);
    const finish = isShort || noBrowser !== null ? undefined : (folder: string) => openPicture(name, folder, saveTo);
    const options = { byShell: !isShort, finish, ...(part !== undefined && { before: part }) };
    expect(await checkPage(join(tutorials, name), options)).toBeGreaterThan(2);
  });

  it('fail on outdated output (control)', () => {
    expect(patternOf('a\n…\nIt took 1.2 s.\n').test('a\nb\nc\nIt took 14 s.\n')).toBe(true);
    expect(patternOf('a\n…\nIt took 1.2 s.\n').test('a\nb\nIt took 14 s, twice.\n')).toBe(false);
    expect(patternOf('a\n').test('a\nb\n')).toBe(false);
  });
});
