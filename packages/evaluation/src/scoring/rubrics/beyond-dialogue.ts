/** @file How sentence after sentence fits the profile of a character, on five dimensions. */

import { type ChecklistAxis, type ChecklistRubric, pointEach } from '../judges/rubric.ts';

const axis = (id: string, about: string, asks: Parameters<typeof pointEach>[0]): ChecklistAxis => ({
  id,
  about,
  scale: [0, 3],
  start: 0,
  questions: pointEach(asks),
});

export const beyondDialogue: ChecklistRubric = {
  name: 'beyond-dialogue',
  version: 1,
  form: 'checklist',
  about: 'Whether each sentence of the seat fits the profile of its character.',
  source:
    'BEYOND DIALOGUE (Yu et al. 2024): its five dimensions, judged by single sentences. Differs: yes/no questions with a quoted sentence instead of grades, and a trait that no sentence shows is not shown rather than contradicted.',
  needs: ['persona'],
  plants: ['out-of-character', 'contradiction', 'broken-style', 'wrong-fact'],
  axes: [
    axis('character', 'Traits of character.', [
      'Is there a sentence that shows who the character is?',
      ['Is there no sentence against what is stated of the character?'],
      'Does a later sentence agree with an earlier one about the character?',
    ]),
    axis('style', 'Manner of speaking.', [
      'Is there a sentence in the character’s own manner of speaking?',
      ['Is there no sentence that the character would never say like that?'],
      ['Is the manner the same from the first sentence to the last?'],
    ]),
    axis('emotion', 'Feeling.', [
      'Is there a sentence with a feeling?',
      'Does the feeling fit what happened just before?',
      ['Is there no sentence with a feeling the character could not have here?'],
    ]),
    axis('relationship', 'Relation to the others.', [
      'Is there a sentence that shows how the character stands to another?',
      ['Is there no sentence that is too near or too distant for that?'],
      ['Does it keep that distance to the end?'],
    ]),
    axis('personality', 'Temper.', [
      'Is there a sentence that shows the character’s temper?',
      ['Is there no sentence of the opposite temper?'],
      'Could one tell the character by one of the sentences?',
    ]),
  ],
};
