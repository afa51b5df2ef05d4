/** @file What `ludus persona suite` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const build: CommandDeclaration = {
  declare(command) {
    command
      .argument('<personas...>', 'two characters or more: files of any known format, or names of the gallery')
      .option(...flag('scenes', '(default: three built-in ones)'))
      .option('--source <agent>', 'who plays everybody: llm:MODEL, a file … (default: scripted)')
      .option('--test <agent>', 'who plays the tested character, so that dialogues go on from its words (default: the source)')
      .option(...flag('turns', '(default: 6)'), whole('--turns', 2, 100))
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona suite villain innkeeper patient -o roles.json': 'offline, with scripted speakers',
      'ludus persona suite ann.json bob.png --scenes ours.json --source llm:openai/gpt-5.4 -o roles.json': 'dialogues of a source model',
      'ludus eval ./roles.json --agents llm:ollama/qwen3:8b': 'somebody else says each next line',
      'ludus score roles --rubric furina --judge openai/gpt-5.4-mini --against source': 'and a judge compares, both ways round',
    });
  },

  load: async () => (await import('../../commands/persona/suite.ts')).build,
};
