/** @file What `ludus env solve` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const solve: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'a small environment: a built-in name, or a file that exports one')
      .option(...flag('task'))
      .option('--within <amount>', 'the tolerance of the value (default: 1e-8)', amount('--within'))
      .option('--iterations <n>', 'the maximum number of iterations (default: a few seconds)', whole('--iterations', 1));
    withJson(command);
    examples(command, {
      'ludus env solve kuhn-poker': 'the value of a hand, and what random play loses',
      'ludus env solve leduc --within 0.001': 'faster and less precise',
      [`ludus env solve liars-dice --task '{"faces":3}' --json`]: 'as JSON',
    });
  },

  load: async () => (await import('../../commands/env/solve.ts')).solve,
};
