import { describe, expect, it } from 'vitest';
import { readInstrument } from '../survey/instrument.ts';
import type { AnswerRow } from './answers.ts';
import { checkFacts, factQuestionnaire } from './facts.ts';

describe('stated facts', () => {
  const population = { attributes: { gender: { female: 1, male: 1 }, age: { young: 3, old: 7 }, country: { here: 1 } } };

  it('are asked as items with every value, only for attributes that vary', () => {
    const { items } = readInstrument(factQuestionnaire(population, 20, 1));
    expect(items.map(({ scale, options }) => [scale, options])).toEqual([
      ['gender', ['female', 'male']],
      ['age', ['old', 'young']],
    ]);
  });

  it('are counted as right, unknown, or refused, next to the baseline of the most common value', () => {
    const row = (gender: string, answer: string, status: AnswerRow['status'] = 'answered') =>
      ({ item: 'a1', attributes: { gender }, answer, status }) as unknown as AnswerRow;
    const answerRows = Array.from({ length: 40 }, (_, i) => row(i % 4 === 0 ? 'male' : 'female', i % 4 === 0 ? 'male' : 'female'));
    const [all] = checkFacts([...answerRows, row('male', '', 'missing')], () => 'gender');
    expect(all).toMatchObject({ attribute: 'gender', asked: 40, right: 40, share: 1, floor: 0.75, refused: 0 });
    expect(all!.interval[0]).toBeGreaterThan(0.75);
    const [half] = checkFacts(
      [row('male', 'male'), row('male', 'female'), row('female', '', 'refused'), row('female', '', 'broken')],
      () => 'gender',
    );
    expect(half).toMatchObject({ asked: 4, right: 1, share: 0.25, refused: 1, broken: 1 });
  });
});
