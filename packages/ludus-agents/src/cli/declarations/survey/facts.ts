/** @file What `ludus survey facts` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withReuse, withStore, withWorkers } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const facts: CommandDeclaration = {
  declare(command) {
    command
      .argument('<population>', 'a population by name, a document, or a table of people (.csv or .parquet)')
      .option(...flag('number', '(default: 50)'), whole('-n', 1, 1_000_000))
      .option(...flag('agent', 'the agent that answers for the people (default: fake)'))
      .option(...flag('seed', '(default: 0)'), whole('--seed', 0))
      .option(...flag('concurrency', '(default: 64)'), whole('--concurrency', 1, 100_000))
      .option(...flag('retry'));
    withJson(withStore(withReuse(withWorkers(withSpending(withModelOptions(command))))));
    examples(command, {
      'ludus survey facts ./spec.json -n 50 --agent llm:MODEL': 'check a model’s people',
      'ludus survey facts customers --agent fake --json': 'a floor: random answers',
    });
    command.addHelpText(
      'after',
      '\nEveryone is asked for their own attributes. The exit code is 1 if an attribute\nis not known better than by always answering its most common value.',
    );
  },

  load: async () => (await import('../../commands/survey/facts.ts')).facts,
};
