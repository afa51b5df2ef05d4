/** @file What `ludus show explain` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const explain: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, or the first letters of its id')
      .requiredOption('--at <n>', 'the action to explain, or the next one after this event; "ludus show ID" numbers them', whole('--at', 0))
      .option('--samples <n>', 'how often the agent is asked with each change', whole('--samples', 1, 1000), 8)
      .option(...flag('games', 'after each move; 0 for none'), whole('--games', 0, 10_000), 20)
      .option('--moves <n>', 'other moves that are played on', whole('--moves', 0, 100), 3)
      .option(...flag('agents', 'for all seats in order (default: those of the log)'))
      .option(...flag('cast'), collect)
      .option(...flag('environment', 'the rules, when they are not built in'));
    withJson(withStore(withSpending(withModelOptions(command))));
    examples(command, {
      'ludus show explain 3f2a --at 7': 'which parts of its view decided, and what other moves would have come to',
      'ludus show explain 3f2a --at 7 --X ./team.json': 'another agent in its place, or its file as it is now',
      'ludus show explain 3f2a --at 7 --samples 30 --games 100 --json': 'with more certainty, for machines',
    });
    command.addHelpText(
      'after',
      '\nUp to six parts of the view are tried in all combinations: a language agent is called up to 64 times as\noften as --samples says. The shares of the parts add up; what an agent says of itself is no evidence.',
    );
  },

  load: async () => (await import('../../commands/show/explain.ts')).explain,
};
