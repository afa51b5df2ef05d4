/** @file What `ludus persona draft` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const draft: CommandDeclaration = {
  declare(command) {
    command
      .argument('<about>', 'what the scene is to be about, in plain words')
      .option('--cast <persona...>', 'who is there: gallery names or files, two to eight')
      .option('--facts <file...>', 'texts with facts from elsewhere, a line each')
      .option(...flag('model', 'it writes the draft (default: a rule)'))
      .option('--most <n>', 'passages that come to mind (default: 6)', whole('--most', 0, 50))
      .option(...flag('output', '(default: ABOUT.json)'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus persona draft "the missing spoons" --cast villain innkeeper': 'from their cards, and scenes they were in',
      'ludus persona draft "the flood" --cast ./ann.json ./bob.json --facts town.md --model M': 'with facts, written by a model',
    });
  },

  load: async () => (await import('../../commands/persona/draft.ts')).draft,
};
