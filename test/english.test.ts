/** @file Strings that users read have no phrases that `npm run english -- --banned` lists. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bannedPhrasesIn, bannedUses } from '../scripts/english.ts';

it('finds banned phrases, whatever is around them, and leaves ordinary sentences alone', () => {
  expect(bannedPhrasesIn('No models are at hand here.')).toEqual(['at hand']);
  expect(bannedPhrasesIn('There were 95 % of them, and nobody came.')).toHaveLength(2);
  expect(bannedPhrasesIn('This is no longer supported, so there is no interval in liars-dice.')).toEqual([]);
});

it('are in no error, and in no string of commands, servers, stores, and the studio', () => {
  expect(bannedUses().map(({ place, phrase, text }) => `${place}: ${phrase}: ${text}`)).toEqual([]);
});

it('have a script with help instead of a stack trace', () => {
  const script = join(import.meta.dirname, '..', 'scripts', 'english.ts');
  expect(execFileSync(process.execPath, [script, '--help'], { encoding: 'utf8' })).toContain('--banned');
});
