/** @file `ludus data`: import, export, and generate datasets. */

import { commandGroup } from '../command.ts';

export const data = commandGroup(
  {
    import: { summary: 'Import conversations and logs into the store', load: async () => (await import('./data/import.ts')).importCommand },
    export: { summary: 'Export stored episodes to a file', load: async () => (await import('./data/export.ts')).exportCommand },
    make: { summary: 'Generate a dataset with a pipeline', load: async () => (await import('./data/make.ts')).make },
  },
  {
    'ludus data import chats.jsonl': 'conversations from another program',
    'ludus data export RUN --format openai -o train.jsonl': 'episodes for a trainer',
    'ludus data make ditto --help': 'the options of a pipeline',
  },
);
