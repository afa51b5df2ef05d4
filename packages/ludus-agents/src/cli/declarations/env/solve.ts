/** @file What `ludus env solve` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const solve: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'a world small enough to be written out, or a file that exports one')
      .option(...flag('task'))
      .option('--within <amount>', 'how close the bounds of the value must come (default: 1e-8)', amount('--within'))
      .option('--iterations <n>', 'when to stop all the same (default: after a few seconds)', whole('--iterations', 1));
    withJson(command);
    examples(command, {
      'ludus env solve kuhn-poker': 'the value of a hand, and what chance play loses',
      'ludus env solve leduc --within 0.001': 'rougher, and sooner',
      [`ludus env solve liars-dice --task '{"faces":3}' --json`]: 'for machines',
    });
  },

  load: async () => (await import('../../commands/env/solve.ts')).solve,
};
