/** @file What `ludus env tasks ideas` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../../command.ts';
import { withSpending } from '../../../spending.ts';

export const ideas: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'ideas as text, an empty line between one and the next')
      .option('--model <model>', 'the model that writes them in sentences of idea-quest (default: they are written so already)')
      .requiredOption('-o, --output <file>', 'where to write the suite');
    withJson(withSpending(command));
    examples(command, {
      'ludus env tasks ideas ideas.txt -o quests.json': 'what is written in the sentences of idea-quest (docs/reference/curricula.md)',
      'ludus env tasks ideas ideas.txt --model openai/gpt-5-mini -o quests.json': 'ideas in any words; a model writes, a search proves',
      'ludus eval quests.json --agents random,scripted': 'then it is a suite like any other',
    });
  },

  load: async () => (await import('../../../commands/env/tasks/ideas.ts')).ideas,
};
