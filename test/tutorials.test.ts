/**
 * @file Every tutorial runs exactly as printed: in `npm run test:long` typed into a shell, in `npm test` in this process.
 * `UPDATE_TUTORIALS=1 npx vitest run test/tutorials.test.ts` writes the real output into the pages.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amount } from './fixtures/amount.ts';
import { checkPage, patternOf } from './fixtures/printed-pages.ts';

const tutorials = join(import.meta.dirname, '..', 'docs', 'tutorials');
const pages = readdirSync(tutorials).filter((name) => name.endsWith('.md') && name !== 'index.md');

describe('tutorials', () => {
  it('exist for five kinds of users', () => expect(pages).toHaveLength(5));

  it.each(pages)('%s runs as printed', async (name) => {
    expect(await checkPage(join(tutorials, name), { byShell: amount(0, 1) === 1 })).toBeGreaterThan(2);
  });

  it('fail on outdated output (control)', () => {
    expect(patternOf('a\n…\nIt took 1.2 s.\n').test('a\nb\nc\nIt took 14 s.\n')).toBe(true);
    expect(patternOf('a\n…\nIt took 1.2 s.\n').test('a\nb\nIt took 14 s, twice.\n')).toBe(false);
    expect(patternOf('a\n').test('a\nb\n')).toBe(false);
  });
});
