/** @file What `ludus show explain` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const explain: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<id>', 'an episode, by the start of its ID')
      .requiredOption('--at <n>', 'the action to explain, or the next one after this event; "ludus show ID" numbers them', whole('--at', 0))
      .option('--samples <n>', 'samples per change', whole('--samples', 1, 1000), 8)
      .option(...flag('games', 'episodes after each move; 0 for none'), whole('--games', 0, 10_000), 20)
      .option('--moves <n>', 'alternative moves to play out', whole('--moves', 0, 100), 3)
      .option(...flag('agents', 'agents for all seats in order (default: those of the log)'))
      .option(...flag('cast'), collect)
      .option(...flag('environment', 'the environment file, if it is not built in'));
    withJson(withStore(withSpending(withModelOptions(command))));
    examples(command, {
      'ludus show explain 3f2a --at 7': 'which parts of its view mattered, and what other moves would have earned',
      'ludus show explain 3f2a --at 7 --X ./team.json': 'with another agent, or with the current version of its file',
      'ludus show explain 3f2a --at 7 --samples 30 --games 100 --json': 'more samples, as JSON',
    });
    command.addHelpText(
      'after',
      "\nUp to six parts of the view are tried in all combinations, so a language agent is called up to 64 times as\noften as --samples says. The shares of the parts add up. An agent's own explanation is not evidence.",
    );
  },

  load: async () => (await import('../../commands/show/explain.ts')).explain,
};
