/** @file What `ludus desk make` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const make: CommandDeclaration = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with policy.md and tools.json or openapi.json')
      .option(...flag('people'), whole('--people', 1, 8), 4)
      .option(...flag('seed'), whole('--seed', 0), 1);
    withJson(command);
    examples(command, {
      'ludus desk make ./shop': 'write database.json, tasks.json, and desk.json',
      'ludus desk check ./shop': 'then check it',
    });
  },

  load: async () => (await import('../../commands/desk/make.ts')).make,
};
