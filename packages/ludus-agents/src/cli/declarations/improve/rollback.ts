/** @file What `ludus improve rollback` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const rollback: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'an improvement; the first letters of its id are enough')
      .argument('<candidate>', 'a candidate of it; the first letters of its id are enough')
      .option(...flag('output'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve rollback instruction-demo-gepa-1-3fa2 599d3d1c': 'the run stands at its start again; nothing is lost',
      'ludus improve rollback instruction-demo-gepa-1-3fa2 599d3d1c -o spec.json': 'and its spec is in a file',
    });
  },

  load: async () => (await import('../../commands/improve/rollback.ts')).rollback,
};
