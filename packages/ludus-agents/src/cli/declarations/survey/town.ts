/** @file What `ludus survey town` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withReuse, withStore, withWorkers } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const town: CommandDeclaration = {
  declare(command) {
    command
      .option(...flag('agent', 'the agent that lives there (default: scripted:villager)'))
      .option(...flag('population'))
      .option(...flag('people', '(default: 25)'), whole('--people', 2, 25))
      .option('--days <n>', 'days (default: 2)', whole('--days', 1, 7))
      .option('--hours <n>', 'hours per day (default: 6)', whole('--hours', 1, 16))
      .option(...flag('number', 'seeds per arm (default: 5)'), whole('-n', 2, 10_000))
      .option(...flag('seed', 'the first seed (default: 0)'), whole('--seed', 0))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'))
      .option(...flag('yes'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey town': 'what memory, reflection, and plans add; offline',
      'ludus survey town --agent llm:MODEL --people 5 -n 3 --yes': 'the same with a model',
    });
    command.addHelpText(
      'after',
      '\nEveryone is interviewed at the end about themselves, where they were, what\nthey had planned, what is open, and with whom they were. Answers are compared\nwith the facts.',
    );
  },

  load: async () => (await import('../../commands/survey/town.ts')).town,
};
