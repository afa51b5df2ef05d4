/** @file What `ludus env coverage` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const coverage: CommandDeclaration = {
  declare(command) {
    const collect = (text: string, before: readonly string[] = []) => [...before, text];
    command
      .argument('<environment>', 'an environment: a built-in name, or a file that exports one')
      .option(...flag('agent', 'an agent for every seat; repeatable (default: random and explorer)'), collect)
      .option('--like <run>', 'episodes that show a style, for an extra explorer; repeatable', collect)
      .option('--episodes <n>', 'episodes per player and repetition', whole('--episodes', 1, 1_000_000), 100)
      .option(...flag('repeats', 'repetitions, for the interval'), whole('--repeats', 1, 1000), 5)
      .option(...flag('task'))
      .option(...flag('seed', 'the first seed'), whole('--seed', 0), 0);
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus env coverage tic-tac-toe': 'what random play and an explorer reach in 100 episodes',
      'ludus env coverage ./my-world.ts --agent scripted --agent explorer': 'your own environment: what its script never tries',
      'ludus env coverage maze --like RUN': 'an explorer that imitates the episodes of a run',
      'ludus env coverage kuhn-poker --episodes 500 --json': 'every figure as JSON',
    });
  },

  load: async () => (await import('../../commands/env/coverage.ts')).coverage,
};
