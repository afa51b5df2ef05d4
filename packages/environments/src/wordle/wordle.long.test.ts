import { expect, it } from 'vitest';
import { totalGuesses } from './solve.cases.ts';
import { mostTelling } from './solve.ts';
import { wordLists } from './words.ts';

it('entropy script solves every word of the common list in 1,023 guesses in total', () => {
  const { common } = wordLists;
  expect({ words: common.length, total: totalGuesses(common, (left) => mostTelling(common, left)) }).toEqual({ words: 366, total: 1023 });
});
