/** @file What `ludus env coverage` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withModelOptions } from '../../model-options.ts';
import { withSpending } from '../../spending.ts';

export const coverage: CommandDeclaration = {
  declare(command) {
    const collect = (text: string, before: readonly string[] = []) => [...before, text];
    command
      .argument('<environment>', 'a built-in world, or a file that exports one')
      .option(...flag('agent', 'it plays every seat; may be given several times (default: random and explorer)'), collect)
      .option('--like <run>', 'episodes that show a style: an explorer is added that is drawn to it; may be given several times', collect)
      .option('--episodes <n>', 'episodes of each player in each repetition', whole('--episodes', 1, 1_000_000), 100)
      .option(...flag('repeats', 'the interval comes from these'), whole('--repeats', 1, 1000), 5)
      .option(...flag('task'))
      .option(...flag('seed', 'the first of several'), whole('--seed', 0), 0);
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus env coverage tic-tac-toe': 'what chance and an explorer see in 100 episodes',
      'ludus env coverage ./my-world.ts --agent scripted --agent explorer': 'your own world: what its script never tries',
      'ludus env coverage maze --like RUN': 'an explorer that also plays like the episodes of a run',
      'ludus env coverage kuhn-poker --episodes 500 --json': 'every figure, with the growth',
    });
  },

  load: async () => (await import('../../commands/env/coverage.ts')).coverage,
};
