/** @file Which of two players of the same role does better, on the axis that the scene puts to the test. */

import type { PairwiseRubric } from '../judges/rubric.ts';

export const furina: PairwiseRubric = {
  name: 'furina',
  version: 1,
  form: 'pairwise',
  about: 'Which of two episodes shows the better play of the same role.',
  source:
    'FURINA (2025): choose the axis first, then compare on a preference from 1 to 5. Differs: both orders are judged, and each player keeps its own words in its own episode.',
  plants: ['out-of-character', 'contradiction', 'wrong-fact', 'repetition', 'broken-style', 'dropped-goal'],
  axes: [
    { id: 'setting', about: 'Uses what the scene and the earlier turns give.' },
    { id: 'recall', about: 'Gets the facts about the role and its world right.' },
    { id: 'reasoning', about: 'Thinks as the role would: weighs, doubts, draws conclusions.' },
    { id: 'conversation', about: 'Keeps a lively exchange going: answers, asks, moves on, does not repeat itself.' },
    { id: 'preference', about: 'Speaks and acts the way one would want this role played.' },
  ],
};
