/** @file What `ludus doctor trim` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const trim: CommandDeclaration = {
  declare(command) {
    command.argument('[folder]', 'the onnxruntime-node folder (default: the one Ludus loads)').option(...flag('yes'));
    withJson(command);
    examples(command, {
      'ludus doctor trim': 'list binaries for other platforms and graphics cards, with sizes',
      'ludus doctor trim --yes': 'remove them; reinstall the package to restore them',
    });
  },

  load: async () => (await import('../../commands/doctor/trim.ts')).trim,
};
