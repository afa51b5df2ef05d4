/** @file What `ludus doctor` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../command.ts';

export const doctor: CommandDeclaration = {
  parts: {
    trim: {
      summary: 'Remove installed libraries for other platforms and graphics cards',
      load: async () => (await import('./doctor/trim.ts')).trim,
    },
  },

  declare(command) {
    command.option('--fix', 'tighten permissions, and move bad records to a file beside the store');
    command.option('--full', 'check the indexes of a store over 256 MB, too');
    withJson(withStore(command));
    examples(command, {
      'ludus doctor': 'every record is read; exit code 1 when something is wrong',
      'ludus doctor --fix': 'bad records go to STORE.quarantine.jsonl, whole',
      'ludus doctor trim': 'what of the installed packages is for other platforms, and how much',
      'ludus doctor --json': 'for a program',
    });
  },

  load: async () => (await import('../commands/doctor.ts')).doctor,
};
