/** @file What `ludus desk tasks make` takes: its options, help and examples. */

import { makeKinds } from '@ludus-agents/desk/internal/environment/make/kinds';
import { type CommandDeclaration, examples, whole, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';

export const make: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desk>', 'the folder or file of a desk')
      .option('--kinds <list>', `which kinds: ${makeKinds.join(', ')}`, makeKinds.join(','))
      .option('-n, --each <n>', 'how many of each kind', whole('--each', 1, 10_000), 20)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus desk tasks make ./shop -o made.json': 'what could be asked besides, proved by gold calls',
      'ludus desk tasks make ./shop --kinds ambiguous -o unclear.json': 'requests that several records fit, each beside a clear one',
      'ludus test made.json --agents ./bot.json': 'then it is a suite like any other',
    });
  },

  load: async () => (await import('../../../commands/desk/tasks/make.ts')).make,
};
