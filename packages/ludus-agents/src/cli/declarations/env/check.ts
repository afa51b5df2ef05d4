/** @file What `ludus env check` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command.argument('<environment>', 'a built-in world, or a file that exports one');
    withJson(command);
    examples(command, {
      'ludus env check kuhn-poker': 'a built-in world',
      'ludus env check ./my-world.ts': 'your own',
      'ludus env check ./my-world.ts --json': '{"problems":[]} and exit code 0 when all is well',
    });
  },

  load: async () => (await import('../../commands/env/check.ts')).check,
};
