/** @file Boards with exact optima: does an agent find ways, weigh chances and look ahead? */

import { suite } from './suite.ts';

export const gridsCore = suite({
  name: 'grids-core',
  version: 2,
  about:
    'Boards and guessing games whose best play is known or searched: ice, mazes, mines, boxes, a word, a city, an endgame of chess, and many walkers at once. Scripts show what can be reached, random play what comes by itself.',
  nulls: ['random'],
  k: [1, 2, 4],
  scenes: [
    {
      environment: 'frozen-lake',
      seats: ['walker'],
      tasks: [{}, { map: 'generated', split: 'held-out', steady: 0.8 }],
      pass: 0.5,
      also: ['form'],
    },
    {
      environment: 'maze',
      seats: ['walker'],
      tasks: [{ split: 'held-out' }, { map: 'double-t', sight: 'place' }],
      scale: [-100, 0],
      pass: -40,
      also: ['form'],
    },
    { environment: 'minesweeper', seats: ['sweeper'], tasks: [{ split: 'held-out' }], pass: 0.5, also: ['form'] },
    {
      environment: 'sokoban',
      seats: ['pusher'],
      tasks: [{ split: 'held-out' }, { level: 'three' }],
      scale: [-12, 12],
      pass: 0,
      also: ['form'],
    },
    { environment: 'wordle', seats: ['guesser'], scale: [-6, 0], pass: -4, also: ['form'] },
    {
      environment: 'guess-my-city',
      seats: ['guesser'],
      others: { oracle: 'scripted:oracle' },
      kinds: { scripted: 'scripted:binary-search' },
      scale: [-20, 0],
      pass: -10,
      also: ['form', 'audits'],
    },
    {
      environment: 'chess',
      seats: ['white'],
      others: { '*': 'scripted:tablebase' },
      kinds: { scripted: 'scripted:tablebase' },
      tasks: [{ opening: 'kqk', plies: 30, split: 'held-out' }],
      scale: [-1, 1],
      pass: 0.5,
      also: ['form'],
    },
    {
      environment: 'pathfinding',
      seats: ['agent 1'],
      others: { '*': 'scripted:follower' },
      kinds: { scripted: 'scripted:follower' },
      tasks: [{ split: 'held-out', steps: 32 }],
      scale: [0, 10],
      pass: 3,
      also: ['form'],
    },
  ],
});
