/** @file `ludus fleet`: start and monitor workers. */

import { commandGroup } from '../command.ts';

export const fleet = commandGroup(
  {
    worker: { summary: 'Play the jobs waiting in a shared store', load: async () => (await import('./fleet/worker.ts')).worker },
    status: { summary: 'Show workers, their jobs, pace, and cost', load: async () => (await import('./fleet/status.ts')).fleet },
  },
  {
    'ludus fleet worker --store postgres://me@db/ludus': 'run it on each machine',
    'ludus fleet status --store postgres://me@db/ludus': 'show progress across machines',
  },
);
