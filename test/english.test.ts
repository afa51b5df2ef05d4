/** @file Strings that users read have no phrases that `npm run english -- --banned` lists. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bannedPhrasesIn, bannedUses } from '../scripts/english.ts';

it('finds banned phrases in any context and accepts ordinary sentences', () => {
  expect(bannedPhrasesIn('No models are at hand here.')).toEqual(['at hand']);
  expect(bannedPhrasesIn('There were 95 % of them, and nobody came.')).toHaveLength(2);
  expect(bannedPhrasesIn('This is no longer supported, so there is no interval in liars-dice.')).toEqual([]);
});

it('finds no banned phrases in errors, commands, servers, stores, or the studio', () => {
  expect(bannedUses().map(({ place, phrase, text }) => `${place}: ${phrase}: ${text}`)).toEqual([]);
});

it('prints help from the script', () => {
  const script = join(import.meta.dirname, '..', 'scripts', 'english.ts');
  expect(execFileSync(process.execPath, [script, '--help'], { encoding: 'utf8' })).toContain('--banned');
});
