/** @file What `ludus improve rollback` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const rollback: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'an improvement run, by name or the start of its ID')
      .argument('<candidate>', 'a candidate of the run, by the start of its ID')
      .option(...flag('output'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve rollback instruction-demo-gepa-1-3fa2 599d3d1c': 'return to the start; nothing is lost',
      'ludus improve rollback instruction-demo-gepa-1-3fa2 599d3d1c -o spec.json': 'and write its spec to a file',
    });
  },

  load: async () => (await import('../../commands/improve/rollback.ts')).rollback,
};
