/** @file What `ludus train sweep` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const sweep: CommandDeclaration = {
  declare(command) {
    command
      .argument('<recipe>', 'how to train; "ludus train --help" lists all')
      .option(...flag('seeds', 'from 1 on, for each setting'), whole('--seeds', 1, 1000), 3)
      .option(...flag('games', 'in each'), whole('--games', 1))
      .option(
        '--try <path=values>',
        'values to try, separated by commas; may be given often',
        (text: string, before: readonly string[]) => [...before, text],
        [],
      )
      .option(
        '--front <channel>',
        'a channel of the rewards as the cost: what each setting brings beside what it costs, and which of them no other beats in both',
      );
    withJson(withSpending(command));
    examples(command, {
      'ludus train sweep kuhn-tabular --try loss.kl.weight=0.1,0.5,2': 'how strong should the pull to the reference be?',
      'ludus train sweep ai-search-planner --front cost --try rewards.cost.weight=0,-0.02,-0.05,-0.2':
        'what a planner finds, beside what its plans cost',
    });
  },

  load: async () => (await import('../../commands/train/sweep.ts')).sweep,
};
