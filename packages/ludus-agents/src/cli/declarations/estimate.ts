/** @file What `ludus estimate` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../command.ts';

export const estimate: CommandDeclaration = {
  declare(command) {
    command.argument('<plan>', 'a JSON file as "ludus run" takes it, or - for standard input');
    withJson(withStore(command));
    examples(command, {
      'ludus estimate plan.json': 'episodes, calls, tokens and money, with ranges',
      'ludus estimate plan.json --store results.sqlite --json': 'from what that store has seen, for machines',
    });
  },

  load: async () => (await import('../commands/estimate.ts')).estimate,
};
