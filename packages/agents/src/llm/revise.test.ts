/** @file Edits of an agent's texts, parsed from a model's answer. */

import { expect, it } from 'vitest';
import { editedTexts, editIn } from './revise.ts';

const texts = { instruction: 'Be brief.\n<!-- locked -->\nNever lie.\n<!-- /locked -->', 'skill/a': 'Look left.\nLook right.' };

it.each([
  ['Add: Call with a queen.', { turn: 3, text: 'instruction', add: 'Call with a queen.' }],
  ['Well.\n**Drop:** Look left.', { turn: 3, text: 'skill/a', drop: 'Look left.' }],
  ['Drop: Never lie.', { turn: 3 }],
  ['Drop: What is not there.', { turn: 3 }],
  ['Add: Be brief.', { turn: 3 }],
  ['Add: <!-- /locked -->', { turn: 3 }],
  ['Keep', { turn: 3 }],
  ['', { turn: 3 }],
])('parses %j', (answer, edit) => {
  expect(editIn(answer, texts, 3)).toEqual(edit);
});

it('edits apply in order and leave locked sections and other texts unchanged', () => {
  const after = editedTexts(texts, [
    { turn: 1, text: 'instruction', add: 'A.' },
    { turn: 2 },
    { turn: 3, text: 'instruction', drop: 'A.' },
  ]);
  expect(after).toEqual(texts);
  expect(editedTexts({}, [{ turn: 1, text: 'instruction', add: 'A.' }])).toEqual({ instruction: 'A.' });
});
