/** @file What `ludus doctor trim` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const trim: CommandDeclaration = {
  declare(command) {
    command.argument('[folder]', 'a folder of onnxruntime-node (default: the one that Ludus loads)').option(...flag('yes'));
    withJson(command);
    examples(command, {
      'ludus doctor trim': 'what is there for other platforms and graphics cards, and how much',
      'ludus doctor trim --yes': 'remove it; "npm install" of the package anew brings it back',
    });
  },

  load: async () => (await import('../../commands/doctor/trim.ts')).trim,
};
