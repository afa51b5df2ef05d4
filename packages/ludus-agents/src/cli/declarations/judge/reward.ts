/** @file What `ludus judge reward` takes: its options, help and examples. */

import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const reward: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run; the first letters of its id are enough')
      .requiredOption(...flag('where', 'these episodes are good'), (text: string) => readBound(text, '--where'))
      .option(...flag('seat', 'whose play is judged (default: the first)'))
      .requiredOption(...flag('output', 'a model, as JSON'))
      .option(...flag('seed'), whole('--seed', 0), 1);
    withJson(withStore(command));
    examples(command, {
      'ludus judge reward baseline --where "return>=1" -o mine.json': 'learn what the environment pays for',
      'ludus score other --scorers ./mine.json': 'rate the episodes of another run by it',
      'ludus data export --run other --where "reward/mine>=0.5" --format trl-sft -o round-2': 'and keep what it takes for good',
    });
    command.addHelpText(
      'after',
      '\nA third of the episodes is held out; the card says how well the model does on them, and on twins without their decisive step.',
    );
  },

  load: async () => (await import('../../commands/judge/reward.ts')).reward,
};
