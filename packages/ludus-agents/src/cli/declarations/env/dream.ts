/** @file What `ludus env dream` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const dream: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'the environment to learn')
      .requiredOption(...flag('output', 'where to write the learned environment'))
      .option(...flag('seat', 'the seat to learn from (default: the first)'))
      .option(...flag('run', 'only episodes of this run (default: all)'))
      .option('--hold <share>', 'the share of episodes to hold out for measuring the error', amount('--hold'), 0.2)
      .option(...flag('model', 'measure this model instead of a learned one'))
      .option('--samples <n>', 'the maximum number of steps to compare', whole('--samples', 1, 1_000_000), 2000)
      .option('--evolve <agent>', 'alternate: the agent plays the real environment, and its episodes improve the learned one')
      .option('--rounds <n>', 'with --evolve: rounds', whole('--rounds', 1, 1000), 3)
      .option(...flag('games', 'with --evolve: episodes per round, and at random before the first'), whole('--games', 5, 100_000), 20)
      .option(...flag('seed', 'with --evolve: the first seed'), whole('--seed', 0), 1)
      .option(...flag('task', 'with --evolve'));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus env dream frozen-lake -o dream.json': 'from all stored episodes',
      'ludus play ./dream.json --agents random': 'use it like any other environment',
      'ludus env dream frozen-lake -o dream.json --model ollama/qwen3 --samples 50': 'how far a model is from the real environment',
      'ludus play ./dream.json --task \'{"by":"model"}\' --walker random --dreamer llm:MODEL': 'a model simulates the environment',
      'ludus env dream frozen-lake -o dream.json --evolve ./search.json --rounds 4': 'a search agent and its simulation improve in turn',
    });
    command.addHelpText(
      'after',
      '\nRun the same command after more episodes to get a better one. The name of the learned environment contains its error,\nso every figure shows it.',
    );
  },

  load: async () => (await import('../../commands/env/dream.ts')).dream,
};
