/** @file The built-in lesson: fractions, from halves to adding. */

import type { Material } from './material.ts';

export const fractions: Material = {
  concepts: [
    {
      id: 'parts',
      idea: 'The lower number says into how many equal parts a whole is cut; more parts are smaller parts.',
      needs: [],
      cues: ['equal parts', 'denominator'],
    },
    {
      id: 'same value',
      idea: 'Multiplying the upper and the lower number by the same number does not change the value.',
      needs: ['parts'],
      cues: ['equivalent', 'expand'],
    },
    {
      id: 'adding',
      idea: 'Parts can be added when they are of one size: bring both to the same lower number, then add the upper ones.',
      needs: ['same value'],
      cues: ['add', 'sum'],
    },
    {
      id: 'of',
      idea: 'A fraction of a number is found by dividing by the lower number and multiplying by the upper one.',
      needs: ['parts'],
      cues: ['fraction of'],
    },
  ],
  questions: [
    { id: 'p1', concept: 'parts', ask: 'Which is larger, 1/3 or 1/4?', answers: ['1/3'], wrong: '1/4', quiz: false },
    { id: 'p2', concept: 'parts', ask: 'Which is smaller, 1/5 or 1/8?', answers: ['1/8'], wrong: '1/5', quiz: false },
    { id: 'p3', concept: 'parts', ask: 'Which is larger, 1/6 or 1/9?', answers: ['1/6'], wrong: '1/9', quiz: true },
    { id: 's1', concept: 'same value', ask: 'Write 1/2 with the lower number 6.', answers: ['3/6'], wrong: '1/6', quiz: false },
    { id: 's2', concept: 'same value', ask: 'Write 2/3 with the lower number 9.', answers: ['6/9'], wrong: '2/9', quiz: false },
    { id: 's3', concept: 'same value', ask: 'Write 3/4 with the lower number 8.', answers: ['6/8'], wrong: '3/8', quiz: true },
    { id: 'a1', concept: 'adding', ask: 'What is 1/2 + 1/4?', answers: ['3/4'], wrong: '2/6', quiz: false },
    { id: 'a2', concept: 'adding', ask: 'What is 1/3 + 1/6?', answers: ['1/2', '3/6'], wrong: '2/9', quiz: false },
    { id: 'a3', concept: 'adding', ask: 'What is 2/5 + 1/10?', answers: ['1/2', '5/10'], wrong: '3/15', quiz: true },
    { id: 'o1', concept: 'of', ask: 'What is 2/3 of 12?', answers: ['8'], wrong: '6', quiz: false },
    { id: 'o2', concept: 'of', ask: 'What is 3/4 of 20?', answers: ['15'], wrong: '5', quiz: true },
  ],
  students: [],
};
