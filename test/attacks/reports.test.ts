/** @file Text from episodes in reports and cards: no link, no image, no HTML, no broken table comes of it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeMarkdown, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';

const attacks = [
  '[click](javascript:alert(1))',
  '![x](javascript:alert(1))',
  '[x]( data:text/html;base64,PHNjcmlwdD4= )',
  '<javascript:alert(1)>',
  '<https://evil.example>',
  'https://evil.example/x?y=z',
  'www.evil.example',
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  'a | b | c',
  'one\n\n# two\n\n- three',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '`code` ``more``',
  '&lt;script&gt; &#106;avascript:',
  '\\[x](javascript:alert(1))',
  '\\\\[x](javascript:alert(1))',
  'x\u2028y\u0085z\u0000\u202e',
  '~~~\nx\n~~~',
  '!\\[x](y)',
];

/** Signs that a backslash in front of them does not make plain. */
const bare = (text: string, sign: string) => {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === sign) count++;
  }
  return count;
};

function expectPlain(text: string): void {
  for (const sign of '`*_{}[]#~|!<>') expect(bare(text, sign), `${sign} in ${text}`).toBe(0);
  expect(text).not.toMatch(/[\n\r\u2028\u2029]/);
  expect(text).not.toMatch(/(?<!\\):\/\/|\b(?:javascript|vbscript|data|file|blob)\s*:/i);
  expect(text).not.toContain('www.');
  expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
}

describe('escapeMarkdown', () => {
  it.each(attacks)('turns %j into plain text', (text) => expectPlain(escapeMarkdown(text)));

  it('turns 5,000 seeded texts into plain text', () => {
    const pieces = [
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '\\',
      '`',
      '|',
      '\n',
      'javascript:',
      'http://',
      'www.',
      '&#',
      'x',
      ' ',
      '#',
      '*',
      '_',
      'data :',
    ];
    for (let seed = 0; seed < 5000; seed++) {
      const dice = rng(seed, 'markdown');
      expectPlain(escapeMarkdown(Array.from({ length: dice.int(20) }, () => dice.pick(pieces)).join('')));
    }
  });

  it('leaves plain text unchanged', () => {
    const sentence = 'Ada won 3 of 4 games, 75.0 to 25.0; kuhn-poker@1, seat 2: fine.';
    expect(escapeMarkdown(sentence)).toBe(sentence);
  });
});

describe('reports and cards of hostile episodes', () => {
  it('show every attack as plain text, in Markdown and in HTML', async () => {
    const here = folder();
    const name = attacks.join(' ').replaceAll('\u0000', '');
    const cast = { '*': { name, kind: 'random' } };
    writeFileSync(join(here, 'plan.json'), JSON.stringify({ name: 'x', environments: ['kuhn-poker'], seeds: 4, casts: [cast] }));
    expect((await ludus(here, ['run', 'plan.json'])).code).toBe(0);
    expect((await ludus(here, ['report', 'x', '-o', 'r.md'])).code).toBe(0);
    expect((await ludus(here, ['report', 'x', '-o', 'r.html'])).code).toBe(0);
    expect((await ludus(here, ['data', 'export', '--format', 'openai', '--words', 'view', '-o', 'set'])).code).toBe(0);
    for (const file of ['r.md', 'set/README.md']) {
      const text = readFileSync(join(here, file), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
      expect(text, file).toContain('evil');
      expect(text, file).not.toMatch(/(?<!\\)\]\(|<[a-z!/]/i);
      expect(text, file).not.toMatch(/javascript:/i);
      const rows = text.split('\n').filter((line) => line.startsWith('|'));
      // Every row of a table has as many cells as its neighbors.
      for (let i = 1; i < rows.length; i++)
        if (rows[i - 1] !== undefined && /^\|(?: -{3}:? \|)+$/.test(rows[i]!))
          for (const row of [rows[i - 1]!, rows[i + 1]!]) expect(bare(row, '|'), row).toBe(bare(rows[i]!, '|'));
    }
    const page = readFileSync(join(here, 'r.html'), 'utf8');
    expect(page).toContain('evil');
    expect(page).not.toMatch(/<script|<img|<a [^>]*href="(?!#)|(?:href|src)="?javascript:/i);
  });
});
