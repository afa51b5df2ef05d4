/** @file What `ludus eval power` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, withJson } from '../../command.ts';

export const power: CommandDeclaration = {
  declare(command) {
    command
      .requiredOption('--difference <amount>', 'the difference to detect: 0.05 is 5 points of 100', amount('--difference'))
      .option('--rate <share>', 'the baseline success rate (default: 0.5, which needs the most episodes)', amount('--rate'))
      .option('--deviation <amount>', 'the standard deviation, for mean scores instead of success rates', amount('--deviation'))
      .option('--correlation <r>', 'the correlation of two agents on the same task and seed (default: 0.5)', Number)
      .option('--power <share>', 'the power (default: 0.8)', amount('--power'))
      .option('--alpha <share>', 'the significance level (default: 0.05)', amount('--alpha'));
    withJson(command);
    examples(command, {
      'ludus eval power --difference 0.05': 'how many episodes to see 5 points?',
      'ludus eval power --difference 0.1 --rate 0.8 --correlation 0.7': 'a baseline of 80%, highly correlated agents',
      'ludus eval power --difference 0.5 --deviation 2': 'chips instead of points',
    });
  },

  load: async () => (await import('../../commands/eval/power.ts')).power,
};
