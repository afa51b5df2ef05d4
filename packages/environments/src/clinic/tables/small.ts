/** @file Three made-up conditions and five findings: every part of the rules, and still small enough for an exact solution. */

import type { ClinicTable } from '../table.ts';

export const small: ClinicTable = {
  name: 'small',
  seats: ['doctor', 'patient'],
  scene: 'You keep the sickbay of a ship. A sailor comes in. The conditions are made up.',
  conditions: [
    { id: 'deck-fever', prior: 0.5 },
    { id: 'bilge-rash', prior: 0.3 },
    { id: 'gull-shakes', prior: 0.2 },
  ],
  findings: [
    {
      id: 'itching',
      kind: 'ask',
      chances: [0.2, 0.9, 0.1],
      words: ['itch', 'itches', 'itching', 'itchy'],
      plain: ['my skin itches', 'nothing itches'],
      learned: ['I suffer from itching', 'I am free of itching'],
    },
    {
      id: 'shaking',
      kind: 'ask',
      chances: [0.3, 0.05, 0.8],
      words: ['shake', 'shakes', 'shaking', 'tremble', 'trembling'],
      plain: ['my hands shake', 'my hands are steady'],
      learned: ['I notice a tremor', 'I notice no tremor'],
    },
    {
      id: 'rum',
      kind: 'ask',
      chances: [0.4, 0.4, 0.4],
      words: ['rum', 'drink', 'drinking'],
      plain: ['I had my rum today', 'I had no rum today'],
      learned: ['I have consumed spirits', 'I have consumed no spirits'],
    },
    { id: 'black-tongue', kind: 'exam', chances: [0.05, 0.02, 0.3], flag: true, cost: 0.01 },
    { id: 'brine', kind: 'test', chances: [0.85, 0.1, 0.3], cost: 0.04 },
  ],
  must: ['rum', 'shaking'],
  charges: { turn: 0.01, refer: 0.1, missed: 0.5 },
  concerns: ['I only came because the cook sent me', 'I am worried that I will miss shore leave'],
};
