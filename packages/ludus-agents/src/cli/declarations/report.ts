/** @file What `ludus report` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withOver, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const report: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run; the first letters of its id are enough')
      .option(...flag('output', '(default: standard output)'))
      .option('--format <format>', 'html, md or json (default: by the ending of the file, else html)')
      .option(...flag('suite'))
      .option(...flag('score', '(default: a suite’s result, else the return)'))
      .option(...flag('card'));
    withJson(withStore(withOver(command)));
    examples(command, {
      'ludus report games-core -o report.html': 'one file that opens anywhere, without a network',
      'ludus report games-core --format md': 'for a pull request',
      'ludus report baseline --score form -o form.json': 'by another score, for a program',
    });
  },

  load: async () => (await import('../commands/report.ts')).report,
};
