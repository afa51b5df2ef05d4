/** @file No control character survives, and no ordinary text is touched. */

import { describe, expect, it } from 'vitest';
import { printable } from './index.ts';

describe('printable', () => {
  it('makes escape sequences visible', () => {
    expect(printable('\u001b[2Jgone\u0007')).toBe('␛[2Jgone␇');
    expect(printable('a\rb\u009b31mc\u007f')).toBe('a␍b�31mc␡');
    expect(printable('abc\u202edef')).toBe('abc�def');
  });

  it('preserves line feeds, tabs, and every script', () => {
    const text = 'one\n\ttwo — Grüße, 世界, مرحبا, 👩‍🚀 ́';
    expect(printable(text)).toBe(text);
    expect(printable('one\r\ntwo')).toBe('one\ntwo');
  });

  it('replaces every control character except tabs and line breaks', () => {
    for (let code = 0; code < 0xa0; code++) {
      if (code === 9 || code === 10) continue;
      const out = printable(String.fromCharCode(code));
      const changed = code < 0x20 || code >= 0x7f;
      expect(out === String.fromCharCode(code)).toBe(!changed);
    }
  });
});
