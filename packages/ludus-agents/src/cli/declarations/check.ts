/** @file What `ludus check` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../command.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command.argument('<environment>', 'a built-in world, or a file that exports one');
    withJson(command);
    examples(command, {
      'ludus check kuhn-poker': 'a built-in world',
      'ludus check ./my-world.ts': 'your own',
      'ludus check ./my-world.ts --json': '{"problems":[]} and exit code 0 when all is well',
    });
  },

  load: async () => (await import('../commands/check.ts')).check,
};
