/** @file Paths of Windows and of other systems. */

import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInside, withSlashes } from './portable-path.ts';

describe('withSlashes', () => {
  it('converts Windows separators and keeps a backslash in a name on other systems', () => {
    expect(withSlashes('shop\\pages\\a.html', win32)).toBe('shop/pages/a.html');
    expect(withSlashes('shop/a\\b.html', posix)).toBe('shop/a\\b.html');
  });
});

describe('isInside', () => {
  it.each([
    ['C:\\shop\\bot.mjs', 'C:\\shop', true],
    ['c:\\shop\\deep\\bot.mjs', 'C:\\Shop', true],
    ['C:\\shop\\..bot.mjs', 'C:\\shop', true],
    ['C:\\shop', 'C:\\shop', false],
    ['C:\\shopping\\bot.mjs', 'C:\\shop', false],
    ['C:\\bot.mjs', 'C:\\shop', false],
    ['D:\\shop\\bot.mjs', 'C:\\shop', false],
    ['\\\\server\\share\\bot.mjs', 'C:\\shop', false],
  ])('on Windows: %s in %s is %s', (file, folder, expected) => expect(isInside(file, folder, win32)).toBe(expected));

  it.each([
    ['/shop/bot.mjs', '/shop', true],
    ['/shop/..bot.mjs', '/shop', true],
    ['/shop/../bot.mjs', '/shop', false],
    ['/shopping/bot.mjs', '/shop', false],
  ])('on other systems: %s in %s is %s', (file, folder, expected) => expect(isInside(file, folder, posix)).toBe(expected));
});
