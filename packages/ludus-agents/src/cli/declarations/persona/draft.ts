/** @file What `ludus persona draft` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const draft: CommandDeclaration = {
  declare(command) {
    command
      .argument('<about>', 'what the scene is about')
      .option('--cast <persona...>', 'two to eight characters: gallery names or files')
      .option('--facts <file...>', 'text files with extra facts, one per line')
      .option(...flag('model', 'the model that writes the draft (default: rules)'))
      .option('--most <n>', 'passages to recall (default: 6)', whole('--most', 0, 50))
      .option(...flag('output', '(default: ABOUT.json)'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus persona draft "the missing spoons" --cast villain innkeeper': 'from their cards and earlier scenes',
      'ludus persona draft "the flood" --cast ./ann.json ./bob.json --facts town.md --model M': 'with facts, written by a model',
    });
  },

  load: async () => (await import('../../commands/persona/draft.ts')).draft,
};
