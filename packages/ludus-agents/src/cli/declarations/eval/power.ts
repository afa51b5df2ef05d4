/** @file What `ludus eval power` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, withJson } from '../../command.ts';

export const power: CommandDeclaration = {
  declare(command) {
    command
      .requiredOption('--difference <amount>', 'the difference to be seen: 0.05 is 5 points of 100', amount('--difference'))
      .option('--rate <share>', 'the success rate it starts from (default: 0.5, which needs most)', amount('--rate'))
      .option('--deviation <amount>', 'for mean scores instead of success rates: their standard deviation', amount('--deviation'))
      .option('--correlation <r>', 'how alike two agents do on the same task and seed (default: 0.5)', Number)
      .option('--power <share>', 'the chance to see it if it is there (default: 0.8)', amount('--power'))
      .option('--alpha <share>', 'the chance to see it if it is not (default: 0.05)', amount('--alpha'));
    withJson(command);
    examples(command, {
      'ludus eval power --difference 0.05': 'how many episodes to see 5 points?',
      'ludus eval power --difference 0.1 --rate 0.8 --correlation 0.7': 'from 80 % up, agents much alike',
      'ludus eval power --difference 0.5 --deviation 2': 'chips instead of points',
    });
  },

  load: async () => (await import('../../commands/eval/power.ts')).power,
};
