import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { bigFiveIn, levelIn, levelText } from './levels.ts';

describe('levelIn', () => {
  it.each<[string, number | null, string | undefined]>([
    ['High. Very imaginative and curious.', 80, 'Very imaginative and curious.'],
    ['Medium', 50, undefined],
    ['Low: avoids people', 20, 'avoids people'],
    ['Very high — seeks novelty', 90, 'seeks novelty'],
    ['Very Low.', 10, undefined],
    ['Low to moderate', 35, undefined],
    ['Moderate-low (35/100)', 35, undefined],
    ['Medium-high (65/100), helpful', 65, 'helpful'],
    ['High (82/100). Note.', 82, 'Note.'],
    ['Moderately high', 65, undefined],
    ['Slightly above average — worries', 58, 'worries'],
    ['Below average', 35, undefined],
    ['72/100 - curious', 72, 'curious'],
    ['7/10', 70, undefined],
    ['3/5', 50, undefined],
    ['45%', 45, undefined],
    ['Curious about practical ideas', null, undefined],
    ['Highly strung', null, undefined],
    ['12/10', null, undefined],
  ])('reads %s', (text, score, note) => {
    const read = levelIn(text);
    expect(read?.score ?? null).toBe(score);
    expect(read?.note).toBe(note);
  });

  it('parses the text of every score', () => {
    for (let score = 0; score <= 100; score++) {
      expect(levelIn(levelText({ score, note: 'A note.' }))).toEqual({ score, note: 'A note.' });
      expect(levelIn(levelText({ score }))).toEqual({ score });
    }
    expect(levelText({ score: 80, note: 'Curious.' })).toBe('High. Curious.');
  });
});

const five = (value: (i: number) => unknown) =>
  Object.fromEntries(
    ['openness', 'conscientiousness', 'extraversion', 'agreeableness', 'neuroticism'].map((key, i) => [key, value(i)]),
  ) as JsonObject;
const scores = (jsonObject: JsonObject) => Object.values(bigFiveIn(jsonObject).bigFive).map((level) => level.score);

describe('bigFiveIn', () => {
  it.each<[string, JsonObject, readonly number[]]>([
    ['0–100', five((i) => [12, 68, 28, 15, 82][i]), [12, 68, 28, 15, 82]],
    ['0–10', five((i) => [5, 7, 6, 8, 4][i]), [50, 70, 60, 80, 40]],
    ['1–5', five((i) => [1, 2, 3, 4, 5][i]), [0, 25, 50, 75, 100]],
    ['0–1', five((i) => [0.1, 0.2, 0.5, 0.9, 1][i]), [10, 20, 50, 90, 100]],
    ['words', five((i) => ['Low.', 'High.', 'Medium.', 'Very high', 'Very low'][i]), [20, 80, 50, 90, 10]],
    ['score and description', five((i) => ({ score: 10 * (i + 5), description: 'x' })), [50, 60, 70, 80, 90]],
    ['value on ten', five((i) => ({ value: i + 4, description: 'x' })), [40, 50, 60, 70, 80]],
    ['level with notes', five(() => ({ level: 'High (85/100)', notes: 'x' })), [85, 85, 85, 85, 85]],
    ['value as text', five(() => ({ value: 'Moderate (45/100)', description: 'x' })), [45, 45, 45, 45, 45]],
  ])('reads scores given as %s', (_, jsonObject, expected) => {
    expect(scores(jsonObject)).toEqual(expected);
  });

  it('takes notes next to the levels and leaves text without levels', () => {
    const { bigFive, rest } = bigFiveIn({
      openness: 70,
      openness_description: 'Open.',
      extraversion: 'Loves crowds',
      notes: 'All in all, fine.',
      agreeableness: 60,
    });
    expect(bigFive).toEqual({ O: { score: 70, note: 'Open.' }, A: { score: 60 } });
    expect(rest).toEqual({ extraversion: 'Loves crowds', notes: 'All in all, fine.' });
  });
});
