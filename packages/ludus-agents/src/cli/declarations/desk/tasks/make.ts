/** @file What `ludus desk tasks make` takes: its options, help and examples. */

import { makeKinds } from '@ludus-agents/desk/internal/environment/make/kinds';
import { writeKinds } from '@ludus-agents/desk/internal/write-kinds';
import { type CommandDeclaration, examples, whole, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';
import { withSpending } from '../../../spending.ts';

export const make: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desk>', 'a desk, by folder or file')
      .option('--kinds <list>', `which kinds: ${makeKinds.join(', ')}; with --model: ${writeKinds.join(', ')} (default: all)`)
      .option(...flag('model', 'the model that writes the cases; problems are sent back to it'))
      .option('--reviewer <model>', 'with --model: a model that votes on each case from three perspectives')
      .option('--rounds <n>', 'with --model: how often one case may be written', whole('--rounds', 1, 20), 3)
      .option('--safe-data <file>', 'with --model and threat: write requests with safe answers, as JSON lines for training')
      .option('-n, --each <n>', 'how many cases of each kind', whole('--each', 1, 10_000), 20)
      .option(...flag('seed'), whole('--seed', 0), 1)
      .requiredOption(...flag('output'));
    withJson(withSpending(command));
    examples(command, {
      'ludus desk tasks make ./shop -o made.json': 'more cases, proven by gold calls',
      'ludus desk tasks make ./shop --kinds ambiguous -o unclear.json': 'ambiguous requests, each with a clear twin',
      'ludus desk tasks make ./shop --model MODEL --kinds event,threat -n 10 -o written.json':
        'a model writes, rules and gold calls decide',
      'ludus test made.json --agents ./bot.json': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../../../commands/desk/tasks/make.ts')).make,
};
