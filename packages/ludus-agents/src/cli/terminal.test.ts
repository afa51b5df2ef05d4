import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { print, printJson, type Terminal } from './terminal.ts';

/** A title that is set, a screen that is wiped, colors by C1, and text that reads backwards. */
const hostile = 'a\u001b]0;x\u0007\u001b[2J\u009b31m\u202eb';

it('print escapes control sequences in any text and keeps colors', () => {
  const stdout = new PassThrough();
  const terminal = { stdout, env: {}, cwd: '/' } as unknown as Terminal;
  print(terminal, `\u001b[31m${hostile}\u001b[39m`, 'second');
  expect(String(stdout.read())).toBe('\u001b[31ma␛]0;x␇␛[2J�31m�b\u001b[39m\nsecond\n');
  printJson(terminal, { hostile });
  const text = String(stdout.read());
  expect(text).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(text)).toEqual({ hostile });
});

it('printJson prints a sum that contains unpriced calls as unknown', () => {
  const stdout = new PassThrough();
  printJson({ stdout } as unknown as Terminal, { spent: { calls: 2, money: 0.5, unpriced: 1 }, rounds: [{ money: 0.5, unpriced: 0 }] });
  expect(JSON.parse(String(stdout.read()))).toEqual({
    ...{ spent: { calls: 2, money: null, unpriced: 1 }, rounds: [{ money: 0.5, unpriced: 0 }] },
  });
});
