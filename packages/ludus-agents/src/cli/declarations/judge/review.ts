/** @file What `ludus judge review` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const review: CommandDeclaration = {
  declare(command) {
    command
      .argument('<what>', 'a run, or with --label an episode')
      .option('--label <word>', 'the label: good or bad; for a pair: episode, against, or tie')
      .option(...flag('against', 'the other episode of a pair'))
      .option('--reason <text>', 'why')
      .option('--by <name>', 'the reviewer (default: your user name)')
      .option('--pairs', 'pairs of episodes on the same task, without the agents’ names')
      .option('--agreement', 'agreement of people with each other and with every score')
      .option(...flag('limit'), whole('--limit', 1, 1000), 10);
    withJson(withStore(command));
    examples(command, {
      'ludus judge review RUN': 'what to review next: disagreements first, then failures',
      'ludus judge review EPISODE --label bad --reason "promised a refund"': 'the last label of each person counts',
      'ludus judge review RUN --pairs': 'two at a time, blind',
      'ludus judge review RUN --agreement': "Krippendorff's alpha with its interval",
    });
  },

  load: async () => (await import('../../commands/judge/review.ts')).review,
};
