/** @file Tests routines mined from successful moves: none where a situation doesn't determine the move, and none that failed since. */

import { expect, it } from 'vitest';
import { afterRun, type MovePath, mineProcedures, withoutFailing, withProcedure } from './procedures.ts';

const path = (first: string, moves: readonly string[], paid: number): MovePath => ({
  steps: moves.map((move, i) => ({ observed: i === 0 ? first : `Step ${i} is done.`, move })),
  paid,
});

it('mineProcedures starts routines where successful episodes agree on the next move', () => {
  const paths = [path('A boat', ['crop', 'blur'], 1), path('A boat', ['crop', 'blur'], 1), path('A lamp', ['paint', 'label'], 1)];
  const routines = mineProcedures([...paths, path('A lamp', ['paint', 'label'], 1), path('A cat', ['blur'], 0)]);
  expect(routines.map(({ when, moves }) => [when, ...moves])).toEqual([
    ['A boat', 'crop', 'blur'],
    ['A lamp', 'paint', 'label'],
  ]);
  // After the first step a boat needs another move than a lamp: no routine starts there, however often one was seen.
  const longer = [1, 2].flatMap(() => [path('A boat', ['crop', 'blur', 'merge'], 1), path('A lamp', ['paint', 'label', 'scale'], 1)]);
  expect(mineProcedures([...longer, path('A cat', ['blur'], 0)]).map(({ when }) => when)).toEqual(['A boat', 'A lamp']);
});

it('names each routine uniquely after its situation', () => {
  const names = mineProcedures([path('A boat', ['crop', 'blur'], 1), path('A lamp', ['paint', 'label'], 1)]).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
});

it('drops routines that occur more often in failed episodes than in successful ones', () => {
  const routine = { when: 'A boat', moves: ['crop', 'blur'] };
  const [won, lost] = [path('A boat', ['crop', 'blur', 'merge'], 1), path('A boat', ['crop', 'blur', 'blur'], 0)];
  expect(withoutFailing([routine], [won, lost])).toEqual([routine]);
  expect(withoutFailing([routine], [won, lost, lost])).toEqual([]);
});

it('drops a procedure that fails twice, also if a member writes the same moves again in between', () => {
  const jump = { name: 'jump', when: 'A ditch', moves: ['run', 'jump'] };
  const once = afterRun(withProcedure([], jump), 'jump', true);
  expect(afterRun(withProcedure(once, jump), 'jump', true)).toEqual([]);
  expect(withProcedure(once, { ...jump, moves: ['jump'] })).toMatchObject([{ moves: ['jump'], failures: 0 }]);
});
