import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { maths } from './maths.ts';
import { kinds, solutionOf, workingsOf } from './problems.ts';
import { calculate, rationalText, readRational } from './rational.ts';

const resultOf = (text: string) => {
  const calculated = calculate(text);
  return calculated.ok ? rationalText(calculated.value) : calculated.problem;
};

describe('calculator', () => {
  it.each([
    ['1/3 + 1/6', '1/2'],
    ['2 ^ 10 mod 1000', '24'],
    ['-3 * (4 - 6)', '6'],
    ['0.1 + 0.2', '3/10'],
    ['2 ^ 100', '1267650600228229401496703205376'],
    ['7 mod 3 * 2', '2'],
    ['1 / 0', 'It divides by zero.'],
    ['2 ^ 99999999', 'A power must be whole, not negative, and not so large.'],
    ['2 +', '"the end" is not understood.'],
    ['(1', 'A closing bracket is missing.'],
    ['1 2', '"2" is not understood.'],
    [`${'('.repeat(5000)}1`, 'It is nested too deeply.'],
    [`${'-'.repeat(5000)}1`, 'It is nested too deeply.'],
  ])('evaluates %s', (text, value) => {
    expect(resultOf(text)).toBe(value);
  });

  it('reads integers, fractions, and decimals', () => {
    expect(
      ['4', '2/4', '0.50', '-1.25', 'x', '1/0', '']
        .map((text) => readRational(text))
        .map((rational) => (rational === null ? null : rationalText(rational))),
    ).toEqual(['4', '1/2', '1/2', '-5/4', null, null, null]);
  });
});

describe('math problems', () => {
  it.each([
    ['Two numbers have the sum 40 and the difference 6. What is the larger one?', '23'],
    ['One pump fills a tank in 3 hours, another in 6 hours. In how many hours do both fill it together? Answer with a fraction.', '2'],
    ['In how many ways can 3 of 10 different books be chosen?', '120'],
    ['What remains when 3 to the power of 20 is divided by 23?', '18'],
    ['A sequence starts with 1 and every next term is 1 more. What is the sum of its first 100 terms?', '5050'],
  ])('include a solvable text: %s', (ask, answer) => {
    expect(resultOf(solutionOf(ask))).toBe(answer);
  });

  it.each(Object.keys(kinds))('of kind %s can be solved from their text', (kind) => {
    for (let seed = 0; seed < 50; seed++) expect(readRational(resultOf(kinds[kind]!.solve(kinds[kind]!.write(rng(seed)))!))).not.toBeNull();
  });

  it('reward the share of successful tool calls if the task asks for it', () => {
    const play = (moves: readonly string[]) => {
      let step = maths.start(maths.task({ tools: 0.5, kind: 'sum' }), rng(2));
      for (const text of [...moves, `[answer ${step.state.made.answer}]`]) step = maths.step(step.state, { solver: { text } }, rng(1));
      return step.rewards;
    };
    expect(play([])).toEqual({ solver: 0.5 });
    expect(play(['[calc 1 + 1]'])).toEqual({ solver: 1 });
    expect(play(['[calc 1 + 1]', '[calc 1 / 0]'])).toEqual({ solver: 0.75 });
    expect(play(['```js\n1 + 1\n```'])).toEqual({ solver: 1 });
  });
});

it('workingsOf lists the correct calculation among variants with one sign changed', () => {
  const ask = 'Two numbers have the sum 40 and the difference 6. What is the larger one?';
  expect(workingsOf(ask)).toEqual(['(40 + 6) * 2', '(40 + 6) / 2', '(40 - 6) / 2']);
  const choices = (task: object) => maths.start(maths.task({ kind: 'sum', ...task }), rng(1, 'x')).asks[0]!.choices!;
  expect(choices({ workings: true }).filter((item) => item.startsWith('[calc '))).toHaveLength(3);
  expect(choices({ workings: true, listed: false })).toHaveLength(3);
  expect(choices({}).every((item) => item.startsWith('[answer '))).toBe(true);
});
