/** @file What `ludus env tasks ideas` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';
import { withSpending } from '../../../spending.ts';

export const ideas: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'ideas as text, separated by empty lines')
      .option(...flag('model', 'a model that turns ideas into sentences (default: they are sentences already)'))
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus env tasks ideas ideas.txt -o quests.json': 'ideas in the sentences of idea-quest (docs/reference/curricula.md)',
      'ludus env tasks ideas ideas.txt --model openai/gpt-5-mini -o quests.json':
        'free-form ideas: a model writes, a search proves them winnable',
      'ludus eval quests.json --agents random,scripted': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../../../commands/env/tasks/ideas.ts')).ideas,
};
