/** @file What `ludus survey compare` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const compare: CommandDeclaration = {
  declare(command) {
    command
      .argument('<answers>', 'synthetic answers, written by "ludus survey -o answers.csv"')
      .option('--human <file>', 'answers of people (.csv or .parquet): one column per item, optionally with weights and attributes')
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0));
    withJson(command);
    examples(command, {
      'ludus survey compare answers.csv --human people.csv': 'where they differ',
      'ludus survey compare a.csv --human people.csv --json': 'everything as JSON',
    });
    command.addHelpText(
      'after',
      '\nA person in both files ("person" or "id") is compared with their own\ntwin, other people with synthetic people who have the same attributes.',
    );
  },

  load: async () => (await import('../../commands/survey/compare.ts')).compare,
};
