/** @file What `ludus improve lineage` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const lineage: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'an improvement; the first letters of its id are enough')
      .option('--engine <name>', 'candidates of this engine only, or of a baseline (default: all)')
      .option('--pack <file>', 'write what was kept, with reasons and episodes, as an experience pack');
    withJson(withStore(command));
    examples(command, {
      'ludus improve lineage instruction-demo-gepa-1-3fa2': 'the tree, with scores and verdicts',
      'ludus improve lineage instruction-demo-gepa-1-3fa2 --pack pack.json':
        'for another agent: ludus improve ./other.json --pack ./pack.json',
      'ludus improve lineage instruction-demo-gepa-1-3fa2 --json': 'parents, changes, verdicts and clades, for machines',
    });
  },

  load: async () => (await import('../../commands/improve/lineage.ts')).lineage,
};
