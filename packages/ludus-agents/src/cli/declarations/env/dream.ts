/** @file What `ludus env dream` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const dream: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'the environment whose episodes are dreamed of')
      .requiredOption(...flag('output', 'an environment, as JSON'))
      .option(...flag('seat', 'whose steps they are (default: the first)'))
      .option(...flag('run', 'only its episodes (default: all)'))
      .option('--hold <share>', 'episodes that are kept out, to measure the error by', amount('--hold'), 0.2)
      .option(...flag('model', 'it is measured in the place of the real steps'))
      .option('--samples <n>', 'steps that are compared at most', whole('--samples', 1, 1_000_000), 2000)
      .option('--evolve <agent>', 'the agent plays the real environment with the dream, what came of it makes the next dream, in turn')
      .option('--rounds <n>', 'with --evolve: dreams that are made', whole('--rounds', 1, 1000), 3)
      .option(...flag('games', 'with --evolve: in each round, and by chance before the first'), whole('--games', 5, 100_000), 20)
      .option(...flag('seed', 'with --evolve: the first of several'), whole('--seed', 0), 1)
      .option(...flag('task', 'with --evolve'));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus env dream frozen-lake -o dream.json': 'from all episodes that are kept',
      'ludus play ./dream.json --agents random': 'it is played, checked, searched and trained in like any other',
      'ludus env dream frozen-lake -o dream.json --model ollama/qwen3 --samples 50': 'how far a model would be from the real one',
      'ludus play ./dream.json --task \'{"by":"model"}\' --walker random --dreamer llm:MODEL': 'a model plays the world',
      'ludus env dream frozen-lake -o dream.json --evolve ./search.json --rounds 4':
        'a search with "dream": {"from": "./dream.json"} and its dream improve in turn',
    });
    command.addHelpText(
      'after',
      '\nThe same command after more episodes makes a better one. The error is in the name of the dream, and so beside every figure.',
    );
  },

  load: async () => (await import('../../commands/env/dream.ts')).dream,
};
