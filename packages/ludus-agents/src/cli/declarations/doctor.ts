/** @file Declares the options, help, and examples of `ludus doctor` and its subcommands. */

import { type CommandDeclaration, examples, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

const trim: CommandDeclaration = {
  declare(command) {
    command.argument('[folder]', 'the onnxruntime-node folder (default: the one Ludus loads)').option(...flag('yes'));
    withJson(command);
    examples(command, {
      'ludus doctor trim': 'list binaries for other platforms and graphics cards, with sizes',
      'ludus doctor trim --yes': 'remove them; reinstall the package to restore them',
    });
  },

  load: async () => (await import('../commands/doctor.ts')).trim,
};

export const doctor: CommandDeclaration = {
  parts: {
    trim: { summary: 'Remove binaries for other platforms', ...trim },
  },

  declare(command) {
    command.option('--fix', 'fix permissions, and move bad records to a file next to the store');
    command.option('--full', 'also check the indexes of stores over 256 MB');
    withJson(withStore(command));
    examples(command, {
      'ludus doctor': 'read all records; exits with 1 if there is a problem',
      'ludus doctor --fix': 'move bad records to STORE.quarantine.jsonl',
      'ludus doctor trim': 'list binaries for other platforms, with sizes',
      'ludus doctor --json': 'for scripts',
    });
  },

  load: async () => (await import('../commands/doctor.ts')).doctor,
};
