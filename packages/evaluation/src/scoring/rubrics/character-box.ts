/** @file Seven axes of role-play over a whole scene, each from 1 to 5. */

import { type ChecklistAxis, type ChecklistRubric, pointEach } from '../judges/rubric.ts';

const ladder = (id: string, about: string, asks: Parameters<typeof pointEach>[0]): ChecklistAxis => ({
  id,
  about,
  scale: [1, 5],
  start: 1,
  questions: pointEach(asks),
});

export const characterBox: ChecklistRubric = {
  name: 'character-box',
  version: 1,
  form: 'checklist',
  about: 'How well the seat plays its character over the whole scene.',
  source:
    'CharacterBox (Wang et al. 2024): its seven axes from 1 to 5. Differs: four yes/no questions an axis instead of a grade after a list of complaints, and a scene with an unread axis is missing instead of skipped.',
  needs: ['persona'],
  plants: ['out-of-character', 'contradiction', 'wrong-fact', 'repetition', 'broken-style', 'dropped-goal'],
  axes: [
    ladder('knowledge', 'Knowledge accuracy.', [
      ['Are all facts the seat names about itself right?'],
      'Does it use at least one fact about itself or its world where it matters?',
      ['Does it know nothing it could not know?'],
      ['Are facts named earlier still right later on?'],
    ]),
    ladder('emotion', 'Emotional expression.', [
      'Does the seat show a feeling at all?',
      'Does the feeling answer something that happened?',
      'Is it this character’s way of showing it?',
      'Does the feeling change as the scene does?',
    ]),
    ladder('personality', 'Personality traits.', [
      'Does a trait of the character show in what is said?',
      'Does a trait show in what is decided or done?',
      ['Is nothing said or done against a trait?'],
      'Could one tell this character from another by it?',
    ]),
    ladder('behaviour', 'Behavioural accuracy.', [
      'Is what the seat does possible for the character?',
      'Is it what the character would do here?',
      'Does the manner of speaking fit the character?',
      'Are the character’s habits or rules kept?',
    ]),
    ladder('immersion', 'Immersion.', [
      ['Does the seat never step out of the character?'],
      ['Is there nothing that sounds like an assistant?'],
      'Does it speak from within the scene rather than about it?',
      'Would somebody reading along stay in the story?',
    ]),
    ladder('adaptability', 'Adaptability.', [
      'Does the seat take up what others say?',
      'Does it change course when something new happens?',
      'Does it do so without giving up who it is?',
      'Does it bring something of its own to the scene?',
    ]),
    ladder('coherence', 'Behavioural coherence.', [
      'Does each reply follow from what came before?',
      ['Does the seat avoid repeating itself?'],
      'Does it keep to its goal, or leave it for a reason?',
      ['Is it free of contradictions with itself?'],
    ]),
  ],
};
