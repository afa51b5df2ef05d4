/** @file What `ludus judge reward` takes: its options, help and examples. */

import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const reward: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run, by name or the start of its ID')
      .requiredOption(...flag('where', 'which episodes count as good'), (text: string) => readBound(text, '--where'))
      .option(...flag('seat', 'the seat to judge (default: the first)'))
      .requiredOption(...flag('output', 'where to write the reward model'))
      .option(...flag('seed'), whole('--seed', 0), 1);
    withJson(withStore(command));
    examples(command, {
      'ludus judge reward baseline --where "return>=1" -o mine.json': 'learn what the environment rewards',
      'ludus score other --scorers ./mine.json': 'score another run with it',
      'ludus data export --run other --where "reward/mine>=0.5" --format trl-sft -o round-2': 'and keep the episodes it rates as good',
    });
    command.addHelpText(
      'after',
      '\nA third of the episodes is held out. The card shows how well the model does on them, and on copies without their decisive step.',
    );
  },

  load: async () => (await import('../../commands/judge/reward.ts')).reward,
};
