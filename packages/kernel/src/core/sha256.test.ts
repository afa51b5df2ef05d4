import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rng } from './rng.ts';
import { portableSha256, sha256 } from './sha256.ts';

const reference = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

describe.each([
  ['of the platform', sha256],
  ['in plain JavaScript', portableSha256],
])('[C1] sha256 %s', (_, sha256) => {
  it('matches the published digests', () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('matches the platform for every length from 0 to 300', () => {
    for (let length = 0; length <= 300; length++) {
      expect(sha256('a'.repeat(length))).toBe(reference('a'.repeat(length)));
      expect(sha256('é'.repeat(length))).toBe(reference('é'.repeat(length)));
    }
  });

  it('matches the platform for thousands of random texts, with astral characters and lone surrogates', () => {
    for (let i = 0; i < 3000; i++) {
      const dice = rng(i, 'sha256');
      const range = dice.pick([0x80, 0x800, 0x10000, 0x110000]);
      const text = Array.from({ length: dice.int(200) }, () => String.fromCodePoint(dice.int(range))).join('');
      expect(sha256(text)).toBe(reference(text));
    }
  });

  it('matches the platform for a long text and for a short one after it', () => {
    const long = '0123456789'.repeat(200_000);
    expect(sha256(long)).toBe(reference(long));
    expect(sha256('short')).toBe(reference('short'));
  });
});
