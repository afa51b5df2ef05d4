/** @file What `ludus improve lineage` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const lineage: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'an improvement run, by name or the start of its ID')
      .option(...flag('engine', 'only candidates of this engine or baseline (default: all)'))
      .option(...flag('pack', 'write an experience pack from accepted edits, with reasons and episodes'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve lineage instruction-demo-gepa-1-3fa2': 'the tree, with scores and verdicts',
      'ludus improve lineage instruction-demo-gepa-1-3fa2 --pack pack.json':
        'for another agent: ludus improve ./other.json --pack ./pack.json',
      'ludus improve lineage instruction-demo-gepa-1-3fa2 --json': 'parents, changes, and verdicts as JSON',
    });
  },

  load: async () => (await import('../../commands/improve/lineage.ts')).lineage,
};
