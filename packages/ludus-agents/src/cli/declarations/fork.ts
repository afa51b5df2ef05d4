/** @file Declares the options, help, and examples of `ludus fork`. */

import { amount, type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const fork: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, by the start of its ID')
      .requiredOption('--at <n>', 'the event to branch before; "ludus show ID" numbers them', whole('--at', 1))
      .option(...flag('me'))
      .option(...flag('agents', 'agents for all seats in order; one name fills every seat'))
      .option(...flag('cast'), collect)
      .option(...flag('seed', 'the seed after the fork'), whole('--seed', 0))
      .option(...flag('speed'), amount('--speed'))
      .option(...flag('environment', 'the environment file, if it is not built in'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus fork 3f2a --at 7': 'continue from event 7 with the same agents',
      'ludus fork 3f2a --at 7 --second random': 'with another agent on the second seat',
      'ludus fork 3f2a --at 7 --seed 5': 'with another seed',
      'ludus fork 3f2a --at 7 --me first': 'with yourself on the first seat',
    });
  },

  load: async () => (await import('../commands/fork.ts')).fork,
};
