/** @file Emotional support in seven axes, each from 0 to 4. */

import { type ChecklistAxis, type ChecklistRubric, pointEach } from '../judges/rubric.ts';

const four = (id: string, about: string, asks: Parameters<typeof pointEach>[0]): ChecklistAxis => ({
  id,
  about,
  scale: [0, 4],
  start: 0,
  questions: pointEach(asks),
});

export const emotionalSupport: ChecklistRubric = {
  name: 'emotional-support',
  version: 1,
  form: 'checklist',
  about: 'How well the seat supports somebody who came with a burden.',
  source:
    'ESC-Eval (Zhao et al. 2024): its seven axes from 0 to 4. Its own study found untrained judges near chance on human-likeness and preference, so those two are split into things that can be pointed at; suggestions and elements are counted, one question each.',
  plants: ['out-of-character', 'repetition', 'insult', 'harmful-advice', 'dropped-goal'],
  axes: [
    four('fluency', 'Are the replies easy to read and to the point?', [
      'Is every reply clear at first reading?',
      'Does each reply answer what was just said?',
      'Is the length right for the moment?',
      'Do the replies hang together over the whole talk?',
    ]),
    four('variety', 'Variety of form and content.', [
      ['Are no two replies alike?'],
      'Does the seat use more than one way of helping?',
      'Do new thoughts come in as the talk goes on?',
      'Are openings and endings of replies different?',
    ]),
    four('empathy', 'Understanding of the other’s feelings.', [
      'Does the seat name or mirror a feeling of the other?',
      'Does it name why the other feels so?',
      'Does it take the feeling as reasonable?',
      ['Are all replies free of words that belittle or blame?'],
    ]),
    four('suggestions', 'Worth of suggestions.', [
      'Is at least one suggestion made?',
      'Do the suggestions fit this person’s situation?',
      'Can the next one be done without help, today?',
      ['Are all suggestions free of harm?'],
    ]),
    four('human', 'Does it sound like a person?', [
      ['Is it free of phrases such as "as an AI"?'],
      ['Is it free of headings, lists and stock phrases?'],
      'Does it pick up small things the other said?',
      'Does it speak plainly, as one would across a table?',
    ]),
    {
      id: 'skill',
      about: 'Elements of support that are present: one gives 0, all five give 4.',
      scale: [0, 4],
      start: -1,
      questions: [
        { id: 'comfort', ask: 'Is comfort given?', points: 1 },
        { id: 'advice', ask: 'Is a suggestion made?', points: 1 },
        { id: 'company', ask: 'Does the seat show that it stays by the other?', points: 1 },
        { id: 'answers', ask: 'Is every question of the other answered?', points: 1 },
        { id: 'referral', ask: 'Is further help named, such as a person or a place to turn to?', points: 1 },
      ],
    },
    four('preference', 'Would one come back?', [
      'Is the other better off at the end by its own words?',
      'Does the other go on talking freely?',
      'Did the seat keep to the other’s concern and not to its own?',
      'Does the talk end well?',
    ]),
  ],
};
