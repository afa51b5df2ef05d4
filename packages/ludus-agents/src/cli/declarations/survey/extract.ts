/** @file What `ludus survey extract` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const extract: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .option('--schema <file>', 'the fields as JSON')
      .option(...flag('model', 'the model that reads the conversations; fields with a pattern do not need it'))
      .option(...flag('output', 'one row per episode and field (.csv)'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus survey extract RUN --schema fields.json -o out.csv': 'with patterns alone',
      'ludus survey extract RUN --schema fields.json --model MODEL': 'with a model',
    });
    command.addHelpText(
      'after',
      `
  {"fields": [
    {"name": "price", "kind": "number", "pattern": "for (\\\\d+) coins"},
    {"name": "mood", "kind": "one", "of": ["glad", "cross"], "about": "last"}
  ]}

Kinds: text, number, yesno, one. A value counts only with a quote from the
conversation; other values are "unsupported".`,
    );
  },

  load: async () => (await import('../../commands/survey/extract.ts')).extract,
};
