import { expect, it } from 'vitest';
import { ExactField } from './exact.ts';

it('exact value of minesweeper on 4×4 with four mines is 961/1820', () => {
  const field = new ExactField({ columns: 4, rows: 4, mines: 4 });
  expect(field.solve()[0]).toBe(961);
  expect(field.sets).toHaveLength(1820);
});
