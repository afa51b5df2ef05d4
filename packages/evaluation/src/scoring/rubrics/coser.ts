/** @file Acting in a given scene, by listed flaws. */

import type { PenaltyRubric } from '../judges/rubric.ts';

export const coser: PenaltyRubric = {
  name: 'coser',
  version: 1,
  form: 'penalty',
  about: 'How well the seat acts its character in this scene.',
  source:
    'CoSER, given-circumstance acting (Wang et al. 2025): its four axes and its arithmetic; flaw lists in our words. Its allowance of 0.3 severity a message is kept, and the floor shows what it costs: silence loses nothing.',
  needs: ['persona'],
  plants: ['out-of-character', 'contradiction', 'wrong-fact', 'repetition', 'broken-style', 'dropped-goal'],
  severity: { to: 5, least: 'a small slip that most would not notice', most: 'the character is gone' },
  arithmetic: { start: 100, each: 5, worst: 0, turn: 1.5, clamp: [0, 100] },
  axes: [
    {
      id: 'storyline',
      about: 'Does what happens agree with the situation and with what is known about the case?',
      flaws: ['acts against the situation', 'reacts as nobody in this story would', 'forgets what the scene is about or gives it up'],
    },
    {
      id: 'humanity',
      about: 'Is this somebody with a self, feelings and relations to others?',
      flaws: [
        'speaks as a machine or steps out of the role',
        'follows the others without a will of its own',
        'feelings without cause or none at all',
      ],
    },
    {
      id: 'fidelity',
      about: 'Is it this character and no other?',
      flaws: ['words this character would not use', 'knows too much or the wrong thing', 'acts against a statement about the character'],
    },
    {
      id: 'quality',
      about: 'Does the scene move on, and does it hold together?',
      flaws: ['says the same thing again', 'contradicts what was said before', 'goes nowhere'],
    },
  ],
};
