/** @file What `ludus improve diff` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const diff: CommandDeclaration = {
  declare(command) {
    command.argument('<a>', 'a candidate, RUN:CANDIDATE, a run (its current candidate), or a spec file').argument('<b>', 'the other one');
    withJson(withStore(command));
    examples(command, {
      'ludus improve diff 599d3d1c 4c2b5475': 'two candidates of any improvement in the store',
      'ludus improve diff 599d3d1c instruction-demo-gepa-1-3fa2': 'a candidate, and the current one of a run',
      'ludus improve diff spec.json instruction-demo-gepa-1-3fa2:4c2b': 'a file, and a candidate of one run',
    });
  },

  load: async () => (await import('../../commands/improve/diff.ts')).diff,
};
