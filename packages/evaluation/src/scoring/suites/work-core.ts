/** @file Worlds of work: does an agent remember, find and cite, query, calculate, find rules, build and repair? */

import { suite } from './suite.ts';

const memoryRow = (competency: string) =>
  ({
    name: `memory-${competency}`,
    environment: 'memory',
    seats: ['reader'],
    tasks: [{ competency, questions: 4, split: 'held-out', tokens: 2000, chunk: 500 }],
    kinds: { scripted: 'scripted:notes' },
    pass: 0.9,
    also: ['form'],
  }) as const;

export const workCore = suite({
  name: 'work-core',
  about:
    'Work with exact checks: a row for each competency of memory, questions over a library with proofs, tables, mathematics, hidden rules, blocks, programs to repair and speed up, and studies to reproduce. Scripts show that every task can be solved, random play what comes by itself.',
  nulls: ['random'],
  k: [1, 2, 4],
  scenes: [
    ...['retrieval', 'learning', 'range', 'conflict', 'forgetting'].map(memoryRow),
    {
      environment: 'library',
      seats: ['reader'],
      tasks: [{ split: 'held-out' }, { vague: 3, noise: 10, contradictions: 6, split: 'held-out' }],
      kinds: { scripted: 'scripted:researcher' },
      pass: 0.9,
      also: ['form'],
    },
    {
      name: 'library-team',
      environment: 'library',
      seats: [['planner', 'retriever', 'writer']],
      tasks: [{ team: true, vague: 0, contradictions: 0, split: 'held-out' }],
      pass: 0.9,
      also: ['form'],
    },
    {
      environment: 'tables',
      seats: ['analyst'],
      tasks: [
        { level: 2, listed: false, split: 'held-out' },
        { level: 4, rows: 80, listed: false, split: 'held-out' },
      ],
      also: ['form'],
    },
    { environment: 'maths', seats: ['solver'], tasks: [{ level: 3, listed: false, split: 'held-out' }], also: ['form'] },
    {
      environment: 'rules',
      seats: ['finder'],
      tasks: [{ split: 'held-out' }],
      kinds: { scripted: 'scripted:version-space' },
      also: ['form'],
    },
    {
      environment: 'blocks',
      seats: ['builder'],
      tasks: [{ split: 'held-out' }, { plan: 'words', size: 4, moves: 80, split: 'held-out' }],
      kinds: { scripted: 'scripted:mason' },
      pass: 0.95,
      also: ['form'],
    },
    {
      environment: 'design',
      seats: [['page', 'schedule', 'refresh', 'queue', 'sleep']],
      tasks: [{ rounds: 1 }],
      kinds: { scripted: 'scripted:optimal' },
      pass: 0.9,
      also: ['form'],
    },
    { name: 'programs-repair', environment: 'programs', seats: ['fixer'], tasks: [{ split: 'held-out' }], also: ['form'] },
    { name: 'programs-optimise', environment: 'programs', seats: ['fixer'], tasks: [{ mode: 'optimise' }], pass: 0.9, also: ['form'] },
    {
      environment: 'reproduction',
      seats: ['researcher'],
      others: { shell: 'scripted:shell' },
      tasks: ['easy', 'medium', 'hard'].map((level) => ({ given: level })),
      kinds: { scripted: 'scripted:reproducer' },
      also: ['form'],
    },
  ],
});
