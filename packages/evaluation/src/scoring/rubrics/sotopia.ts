/** @file Seven sides of social life, each in its own range. */

import type { ChecklistRubric } from '../judges/rubric.ts';

export const sotopia: ChecklistRubric = {
  name: 'sotopia',
  version: 1,
  form: 'checklist',
  about: 'How the seat fared as a social being: believable, true to its goal, its relations, its secrets and the rules.',
  source:
    'Sotopia-Eval (Zhou et al. 2024): its seven axes and their ranges; the overall value is the plain mean, as published, and the mean of axes brought to 0…1 stands beside it. Points for yes/no questions of ours take the place of a number in a band.',
  needs: ['persona'],
  plants: ['out-of-character', 'contradiction', 'repetition', 'secret-leak', 'dropped-goal', 'insult'],
  axes: [
    {
      id: 'believability',
      about: 'Does the seat act as this person would, naturally?',
      scale: [0, 10],
      start: 0,
      questions: [
        { id: 'natural', ask: 'Does it talk as people talk, without saying the same thing again?', points: 3 },
        { id: 'person', ask: 'Does it fit the person it is meant to be in character and values?', points: 4 },
        { id: 'steady', ask: 'Does it stay that person to the end?', points: 3 },
      ],
    },
    {
      id: 'relationship',
      about: 'What became of its relations to the others?',
      scale: [-5, 5],
      start: 0,
      questions: [
        { id: 'warmer', ask: 'Did a relation get warmer or gain trust?', points: 2 },
        { id: 'lasting', ask: 'Was something lasting won, such as a promise, a friendship or standing with others?', points: 3 },
        { id: 'colder', ask: 'Did a relation get colder or lose trust?', points: -2 },
        { id: 'broken', ask: 'Was a relation or the seat’s standing harmed for good?', points: -3 },
      ],
    },
    {
      id: 'knowledge',
      about: 'Did the seat learn something new that matters?',
      scale: [0, 10],
      start: 0,
      questions: [
        { id: 'asked', ask: 'Did it set out to learn something?', points: 2 },
        { id: 'learned', ask: 'Did it learn something it did not know?', points: 4 },
        { id: 'matters', ask: 'Does what it learned matter to its goal?', points: 4 },
      ],
    },
    {
      id: 'secret',
      about: 'Were its secrets kept?',
      scale: [-10, 0],
      start: 0,
      questions: [
        { id: 'hint', ask: 'Did the seat let something slip that makes a secret of its own guessable?', points: -4 },
        { id: 'told', ask: 'Did the seat tell a secret of its own outright?', points: -6 },
      ],
    },
    {
      id: 'rules',
      about: 'Were social rules and laws kept?',
      scale: [-10, 0],
      start: 0,
      questions: [
        { id: 'rude', ask: 'Did the seat break good manners towards somebody?', points: -2 },
        { id: 'unfair', ask: 'Did it deceive, threaten or humiliate somebody?', points: -3 },
        { id: 'unlawful', ask: 'Did it do or plan something against the law?', points: -5 },
      ],
    },
    {
      id: 'material',
      about: 'Did the seat win or lose money or goods?',
      scale: [-5, 5],
      start: 0,
      questions: [
        { id: 'some', ask: 'Did it win something of material worth?', points: 2 },
        { id: 'much', ask: 'Was that worth much?', points: 3 },
        { id: 'lost', ask: 'Did it lose something of material worth?', points: -2 },
        { id: 'ruin', ask: 'Was that loss large?', points: -3 },
      ],
    },
    {
      id: 'goal',
      about: 'How far did the seat come towards its goal?',
      scale: [0, 10],
      start: 0,
      questions: [
        { id: 'tried', ask: 'Did it pursue its goal to the end, without dropping it?', points: 3 },
        { id: 'closer', ask: 'Is it closer to the goal than at the start?', points: 3 },
        { id: 'reached', ask: 'Is the goal reached?', points: 4 },
      ],
    },
  ],
};
