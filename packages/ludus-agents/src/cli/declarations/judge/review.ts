/** @file What `ludus judge review` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const review: CommandDeclaration = {
  declare(command) {
    command
      .argument('<what>', 'a run, or with --label an episode')
      .option('--label <word>', 'say this of an episode, such as good or bad; of a pair episode, against or tie')
      .option(...flag('against', 'the other episode of a pair'))
      .option('--reason <text>', 'why')
      .option('--by <name>', 'who says so (default: your name on this machine)')
      .option('--pairs', 'pairs of the same task by other agents, in words and without who played')
      .option('--agreement', 'how far people agree with each other and with every score')
      .option(...flag('limit'), whole('--limit', 1, 1000), 10);
    withJson(withStore(command));
    examples(command, {
      'ludus judge review RUN': 'what to look at next: where verdicts disagree, then what failed, and why',
      'ludus judge review EPISODE --label bad --reason "promised a refund"': 'the last word of one person counts',
      'ludus judge review RUN --pairs': 'two at a time, blind',
      'ludus judge review RUN --agreement': "Krippendorff's alpha with its interval",
    });
  },

  load: async () => (await import('../../commands/judge/review.ts')).review,
};
