/** @file Worlds of play with a clock, with units and with numbers: does an agent cooperate, command and control? */

import { suite } from './suite.ts';

export const playCore = suite({
  name: 'play-core',
  version: 2,
  about:
    'A kitchen shared with a cook, units under orders, a motor, a drone and a rally of volleyball. Scripts show what can be reached, random play what comes by itself.',
  nulls: ['random'],
  k: [1, 2, 4],
  scenes: [
    {
      environment: 'kitchen',
      seats: ['cook 1'],
      others: { '*': 'scripted:hla' },
      kinds: { scripted: 'scripted:hla' },
      tasks: [{ moves: 'orders', horizon: 120 }],
      scale: [0, 80],
      pass: 40,
      also: ['form'],
    },
    {
      environment: 'skirmish',
      seats: ['commander'],
      others: { '*': 'scripted:spread' },
      kinds: { scripted: 'scripted:focus' },
      tasks: [{ steps: 40 }],
      scale: [0, 20],
      pass: 10,
      also: ['form'],
    },
    { environment: 'motor', seats: ['controller'], tasks: [{ steps: 40 }], scale: [-12, 0], pass: -2.4, also: ['form'] },
    {
      environment: 'drones',
      seats: ['pilot 1'],
      kinds: { scripted: 'scripted:pid' },
      tasks: [{ seconds: 2 }],
      scale: [0, 2],
      pass: 1.6,
      also: ['form'],
    },
    {
      environment: 'volleyball',
      seats: ['home'],
      others: { '*': 'scripted:team' },
      kinds: { scripted: 'scripted:team' },
      scale: [-20, 20],
      pass: 4,
      also: ['form'],
    },
  ],
});
