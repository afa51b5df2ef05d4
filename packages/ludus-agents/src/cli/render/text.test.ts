/** @file Widths, wrapping, tables, colors and suggestions. */

import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { count, duration, formatGrouped, formatSigned, money } from '@ludus-agents/kernel/internal/core/format';
import { distance, nearest } from '@ludus-agents/kernel/internal/core/suggest';
import { describe, expect, it } from 'vitest';
import type { Screen } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { table } from './table.ts';
import { clip, pad, width, wrap } from './width.ts';

const plain = coloursFor(new PassThrough(), {});

describe('width', () => {
  it.each([
    ['abc', 3],
    ['', 0],
    ['Grüße – “so”', 12],
    ['世界', 4],
    ['ｆｕｌｌ', 8],
    ['ｱｲｳ', 3],
    ['한국어', 6],
    ['e\u0301', 1],
    ['👩‍🚀', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['\u001b[31mred\u001b[39m', 3],
    ['a\u200bb', 2],
  ])('%j takes %i columns', (text, columns) => {
    expect(width(text)).toBe(columns);
  });

  it('matches the width that Node uses in prompts, over many scripts', () => {
    const ranges = [
      0x20, 0x250, 0x370, 0x530, 0x1100, 0x1160, 0x3041, 0x3097, 0x30a0, 0x3130, 0x4e00, 0x5000, 0xac00, 0xad00, 0xff01, 0xffa0,
    ];
    const points: number[] = [];
    for (let i = 0; i < ranges.length; i += 2) for (let code = ranges[i]!; code < ranges[i + 1]!; code++) points.push(code);
    const script = `const { getStringWidth } = require('internal/util/inspect'); process.stdout.write(JSON.stringify(${JSON.stringify(points)}.map((code) => getStringWidth(String.fromCodePoint(code)))))`;
    const counted = JSON.parse(
      execFileSync(process.execPath, ['--expose-internals', '-e', script], { encoding: 'utf8', maxBuffer: 2 ** 24 }),
    ) as number[];
    const assigned = /\P{Unassigned}/u;
    const control = /\p{Control}|\u00ad/u;
    const apart = points.filter((code, i) => {
      const character = String.fromCodePoint(code);
      return assigned.test(character) && !control.test(character) && width(character) !== counted[i];
    });
    expect(apart.map((code) => code.toString(16))).toEqual([]);
  });
});

describe('fitting', () => {
  it('pads and clips by columns, not characters', () => {
    expect(pad('世', 4)).toBe('世  ');
    expect(pad('1', 4, 'right')).toBe('   1');
    expect(clip('世界世界', 5)).toBe('世界…');
    expect(clip('four', 4)).toBe('four');
    expect(clip('five5', 4)).toBe('fiv…');
  });

  it('wraps at spaces, keeps line breaks and indents, and splits text without spaces', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrap('one\n\ntwo', 10)).toEqual(['one', '', 'two']);
    expect(wrap('  - a longer item', 10)).toEqual(['  - a', '    longer', '    item']);
    expect(wrap('  a longer item', 10)).toEqual(['  a longer', '  item']);
    expect(wrap('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl']);
    expect(wrap('世界世界', 5)).toEqual(['世界', '世界']);
    // Reading the rest of a word again for every line would take hours.
    for (const [letter, most] of [
      ['[', 80],
      ['世', 40],
    ] as const) {
      const lines = wrap(letter.repeat(2 ** 16), 80);
      expect(lines.map((line) => line.length)).toEqual([...Array(Math.floor(2 ** 16 / most)).fill(most), 2 ** 16 % most]);
    }
  });

  it('never exceeds the width, and loses no character', () => {
    const text = 'It was the best of times, it was the worst of times; 世界は広い, antidisestablishmentarianism.';
    for (let columns = 2; columns < 60; columns++) {
      const lines = wrap(text, columns);
      expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
  });
});

describe('tables', () => {
  const columns = [{ title: 'name' }, { title: 'n', align: 'right' }, { title: 'about', flexible: 'cut' }] as const;

  it('align columns with wide characters', () => {
    const text = table(
      columns,
      [
        ['世界', '1', 'x'],
        ['ab', '20', 'yy'],
      ],
      { colours: plain },
    );
    expect(text.split('\n')).toEqual(['name   n  about', '世界   1  x', 'ab    20  yy']);
  });

  it('truncate only flexible columns, to the width of the screen', () => {
    const text = table(columns, [['name', '1', 'a long explanation of everything']], { colours: plain, columns: 24 });
    expect(text.split('\n')[1]).toBe('name  1  a long explana…');
    expect(Math.max(...text.split('\n').map(width))).toBeLessThanOrEqual(24);
  });

  it('wrap flexible columns to the next line', () => {
    const text = table([{ title: 'a' }, { title: 'about', flexible: 'wrap' }], [['1', 'some words to wrap']], {
      colours: plain,
      columns: 13,
    });
    expect(text.split('\n')).toEqual(['a  about', '1  some words', '   to wrap']);
  });
});

describe('color', () => {
  const tty = Object.assign(new PassThrough(), { isTTY: true }) as Screen;
  it.each([
    ['a terminal', tty, {}, true],
    ['a pipe', new PassThrough(), {}, false],
    ['NO_COLOR', tty, { NO_COLOR: '1' }, false],
    ['NO_COLOR against FORCE_COLOR', tty, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['FORCE_COLOR on a pipe', new PassThrough(), { FORCE_COLOR: '1' }, true],
    ['a dumb terminal', tty, { TERM: 'dumb' }, false],
    ['an empty NO_COLOR', tty, { NO_COLOR: '' }, true],
  ] as const)('depends on %s', (_, screen, env, coloured) => {
    expect(coloursFor(screen, env).red('x') !== 'x').toBe(coloured);
  });
});

describe('suggestions', () => {
  it('counts edits', () => {
    expect([distance('', 'abc'), distance('kitten', 'sitting'), distance('ab', 'ba'), distance('same', 'same')]).toEqual([3, 3, 1, 0]);
  });

  it('finds the nearest name, or none if nothing is close', () => {
    const knownNames = ['kuhn-poker', 'tic-tac-toe', 'connect-four'];
    expect(nearest('khun-poker', knownNames)).toBe('kuhn-poker');
    expect(nearest('tictactoe', knownNames)).toBe('tic-tac-toe');
    expect(nearest('poker', knownNames)).toBe('kuhn-poker');
    expect(nearest('backgammon', knownNames)).toBeNull();
  });
});

describe('amounts', () => {
  it('are formatted for people', () => {
    expect([formatSigned(2), formatSigned(-0.5), formatSigned(0), formatSigned(-0)]).toEqual(['+2', '−0.5', '0', '0']);
    expect([money(0), money(0.00123), money(1.5)]).toEqual(['$0', '$0.0012', '$1.50']);
    expect([duration(1.23), duration(75), duration(600), duration(7300)]).toEqual(['1.2 s', '75 s', '10 min', '2 h 2 min']);
    expect([formatGrouped(999), formatGrouped(1234567), count(1, 'turn'), count(1200, 'turn')]).toEqual([
      '999',
      '1,234,567',
      '1 turn',
      '1,200 turns',
    ]);
  });
});
