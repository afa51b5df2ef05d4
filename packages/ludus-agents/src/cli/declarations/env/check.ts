/** @file What `ludus env check` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command.argument('<environment>', 'an environment: a built-in name, or a file that exports one');
    withJson(command);
    examples(command, {
      'ludus env check kuhn-poker': 'a built-in environment',
      'ludus env check ./my-world.ts': 'your own environment',
      'ludus env check ./my-world.ts --json': '{"problems":[]} and exit code 0 if there are none',
    });
  },

  load: async () => (await import('../../commands/env/check.ts')).check,
};
