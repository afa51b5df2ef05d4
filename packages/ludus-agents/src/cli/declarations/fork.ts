/** @file What `ludus fork` takes: its options, help and examples. */

import { amount, type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withSpending } from '../spending.ts';

export const fork: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, or the first letters of its id')
      .requiredOption('--at <n>', 'branch off before this event; "ludus show ID" numbers them', whole('--at', 1))
      .option(...flag('me'))
      .option(...flag('agents', 'for all seats in order; one stands for every seat'))
      .option(...flag('cast'), collect)
      .option(...flag('seed', 'from the fork on'), whole('--seed', 0))
      .option(...flag('speed'), amount('--speed'))
      .option(...flag('environment', 'the rules, when they are not built in'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus fork 3f2a --at 7': 'play on from event 7 with the same agents',
      'ludus fork 3f2a --at 7 --second random': 'with another agent on the second seat',
      'ludus fork 3f2a --at 7 --seed 5': 'with other dice',
      'ludus fork 3f2a --at 7 --me first': 'with yourself on the first seat',
    });
  },

  load: async () => (await import('../commands/fork.ts')).fork,
};
