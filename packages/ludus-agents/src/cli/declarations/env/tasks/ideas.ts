/** @file What `ludus env tasks ideas` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';
import { withSpending } from '../../../spending.ts';

export const ideas: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'ideas as text, an empty line between one and the next')
      .option(...flag('model', 'it writes them as sentences (default: they are sentences already)'))
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus env tasks ideas ideas.txt -o quests.json': 'what is written in the sentences of idea-quest (docs/reference/curricula.md)',
      'ludus env tasks ideas ideas.txt --model openai/gpt-5-mini -o quests.json': 'ideas in any words; a model writes, a search proves',
      'ludus eval quests.json --agents random,scripted': 'then it is a suite like any other',
    });
  },

  load: async () => (await import('../../../commands/env/tasks/ideas.ts')).ideas,
};
