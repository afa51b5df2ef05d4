/** @file Likeness: people are like people, and not like their own words in capitals; turns of one conversation are no evidence of their own. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { likenessOf, likenessText } from './likeness.ts';

/** Conversations of one speaker with a way of its own: turns of one conversation resemble each other. */
function talks(seed: number, count: number, length = 8): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, i) => {
    const dice = rng(seed, 'talk', i);
    const usual = 2 + dice.int(length);
    return Array.from({ length: 6 }, () =>
      Array.from({ length: usual + dice.int(3) }, () => 'abcdefghij'.slice(0, 2 + dice.int(7))).join(' '),
    );
  });
}

describe('likenessOf', () => {
  it('distinguishes two samples of the same speakers no more often than chance', () => {
    const rejected = Array.from({ length: 60 }, (_, i) => likenessOf(talks(2 * i, 40), talks(2 * i + 1, 40), i)).filter(
      ({ p }) => p < 0.05,
    );
    // At five in a hundred, nine or more of sixty come by chance once in 300 times.
    expect(rejected.length).toBeLessThan(9);
  });

  it('always distinguishes people from the same text in capitals', () => {
    const people = talks(1, 60);
    const { accuracy, likeness, p, interval } = likenessOf(
      people,
      talks(2, 60).map((turns) => turns.map((text) => text.toUpperCase())),
    );
    expect(accuracy).toBe(1);
    expect(likeness).toBe(0);
    expect(p).toBeLessThan(1e-12);
    expect(interval[0]).toBeGreaterThan(0.9);
  });

  it('distinguishes people by meaning with an encoder, but not with random vectors', () => {
    const [first, second] = [talks(1, 60), talks(2, 60)];
    const meaningsBy = (vector: (label: number, i: number) => readonly number[]) => ({
      encoder: 'fake',
      of: new Map([first, second].flatMap((side, label) => side.map((turns, i) => [turns, vector(label, i)] as const))),
    });
    const planted = likenessOf(
      first,
      second,
      1,
      meaningsBy((label) => [label, 1 - label]),
    );
    expect(planted.accuracy).toBeGreaterThan(0.8);
    expect(likenessText(planted)).toContain('fake');
    const byChance = meaningsBy((label, i) => [rng(label, i).next() - 0.5, rng(label, i, 'other').next() - 0.5]);
    expect(likenessOf(first, second, 1, byChance).p).toBeGreaterThan(0.01);
  });

  it('names the differing features', () => {
    const likeness = likenessOf(talks(1, 60), talks(2, 60, 40));
    expect(likeness.differs[0]?.feature).toMatch(/words/);
    expect(likenessText(likeness)).toContain('50% is chance');
  });

  it('rejects fewer than 10 conversations', () => {
    expect(() => likenessOf(talks(1, 4), talks(2, 40))).toThrow('at least 10 conversations');
  });
});

const people = join(import.meta.dirname, '../../../../../shared/data/dialogues/sgd.jsonl');
if (!existsSync(people)) console.info(`Likeness is not tried on people: ${people} is not here.`);

describe.skipIf(!existsSync(people))('conversations of people (skipped without ../shared/data)', () => {
  it('are like each other, and unlike themselves in capitals', () => {
    const all = readFileSync(people, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .slice(0, 400)
      .map((line) =>
        (JSON.parse(line).turns as { speaker: string; text: string }[]).filter(({ speaker }) => speaker === 'user').map(({ text }) => text),
      );
    const [item, two] = [all.filter((_, i) => i % 2 === 0), all.filter((_, i) => i % 2 === 1)];
    expect(likenessOf(item, two).interval[0]).toBeLessThan(0.5);
    expect(
      likenessOf(
        item,
        two.map((turns) => turns.map((text) => text.toUpperCase())),
      ).accuracy,
    ).toBeGreaterThan(0.95);
  });
});
