/** @file What `ludus train sweep` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const sweep: CommandDeclaration = {
  declare(command) {
    command
      .argument('<recipe>', 'the recipe; "ludus list recipes" lists them')
      .option(...flag('seeds', 'seeds per setting, starting at 1'), whole('--seeds', 1, 1000), 3)
      .option(...flag('games', 'games per training run'), whole('--games', 1))
      .option(
        '--try <path=values>',
        'values to try, separated by commas; repeatable',
        (text: string, before: readonly string[]) => [...before, text],
        [],
      )
      .option('--front <channel>', 'a reward channel to treat as cost, for a Pareto front');
    withJson(withSpending(command));
    examples(command, {
      'ludus train sweep kuhn-tabular --try loss.kl.weight=0.1,0.5,2': 'how strong should the KL penalty be?',
      'ludus train sweep ai-search-planner --front cost --try rewards.cost.weight=0,-0.02,-0.05,-0.2':
        'what a planner finds, and what its plans cost',
    });
  },

  load: async () => (await import('../../commands/train/sweep.ts')).sweep,
};
