/** @file What `ludus persona suite` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const build: CommandDeclaration = {
  declare(command) {
    command
      .argument('<personas...>', 'two or more characters: files or gallery names')
      .option(...flag('scenes', '(default: three built-in ones)'))
      .option('--source <agent>', 'the agent that plays everyone (default: scripted)')
      .option('--test <agent>', 'the agent that plays the tested character (default: the source)')
      .option(...flag('turns', '(default: 6)'), whole('--turns', 2, 100))
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona suite villain innkeeper patient -o roles.json': 'offline, with scripted speakers',
      'ludus persona suite ann.json bob.png --scenes ours.json --source llm:openai/gpt-5.4 -o roles.json': 'dialogues by a model',
      'ludus eval ./roles.json --agents llm:ollama/qwen3:8b': 'another agent says each next line',
      'ludus score roles --rubric furina --judge openai/gpt-5.4-mini --against source': 'and a judge compares them in both orders',
    });
  },

  load: async () => (await import('../../commands/persona/suite.ts')).build,
};
