/** @file What `ludus desk check` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desk>', 'a folder with policy.md and tasks.json, one JSON file, or a built-in desk by name')
      .option('--strict', 'treat warnings as errors');
    withJson(command);
    examples(command, {
      'ludus desk check ./shop': 'exits with 1 if a case cannot be solved',
      'ludus desk check ./shop --strict --json': 'for scripts; warnings count as errors',
    });
  },

  load: async () => (await import('../../commands/desk/check.ts')).check,
};
