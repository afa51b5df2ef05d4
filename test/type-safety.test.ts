/** @file How often the sources overrule the compiler. Both numbers may only fall. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => !/(^|\/)tests?\/|\.(test|cases)\.tsx?$|\.d\.ts$/.test(file));

/** The text of the sources without comments and strings, in which an exclamation mark is not an operator. */
function code(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|'(?:\\.|[^'\\\n])*'/gm, '');
}

const count = (pattern: RegExp) => sources.reduce((sum, file) => sum + [...code(file).matchAll(pattern)].length, 0);

it('the sources overrule the type of a value in few places', () => {
  expect(count(/\bas unknown as\b/g)).toBeLessThan(100);
  expect(count(/\bas (any|never)\b/g)).toBeLessThanOrEqual(45);
});

it('the sources assert that a value exists in few places', () => {
  expect(count(/[\w\])]!(?=[\s.,;:)\]}?[(+*/&|<>`-])(?!=)/g)).toBeLessThan(800);
});
