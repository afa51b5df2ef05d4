/** @file Declares the options, help, and examples of `ludus report`. */

import { type CommandDeclaration, examples, withJson, withOver, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const report: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option(...flag('output', '(default: standard output)'))
      .option('--format <format>', 'html, md, or json (default: by file extension, or html)')
      .option(...flag('suite'))
      .option(...flag('score', 'the score to compare (default: the suite’s result, or the return)'))
      .option(...flag('card'));
    withJson(withStore(withOver(command)));
    examples(command, {
      'ludus report games-core -o report.html': 'one self-contained file',
      'ludus report games-core --format md': 'for a pull request',
      'ludus report baseline --score form -o form.json': 'by another score, as JSON',
    });
  },

  load: async () => (await import('../commands/report.ts')).report,
};
