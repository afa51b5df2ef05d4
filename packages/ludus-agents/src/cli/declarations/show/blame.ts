/** @file What `ludus show blame` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, oneOf, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const blame: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<episode>', 'an episode, or the first letters of its id')
      .option(
        '--find <how>',
        'rules: answers that a rule flags; replay: change each step and play on with the same agents',
        oneOf('--find', ['rules', 'replay']),
        'rules',
      )
      .option('--graph', 'print the information-dependency graph: which event used which')
      .option(...flag('changes', 'with replay: tried at each step'), whole('--changes', 1, 100), 6)
      .option('--steps <n>', 'replay: steps that are tried, the latest that the end depends on', whole('--steps', 1, 10_000), 60)
      .option(...flag('agents', 'with replay: for all seats in order (default: those of the log)'))
      .option(...flag('cast', 'with replay'), collect)
      .option(...flag('environment', 'with replay: the rules, when they are not built in'));
    withJson(withStore(command));
    examples(command, {
      'ludus show blame 3f2a': 'which answer went wrong first, and what depends on it',
      'ludus show blame 3f2a --find replay': 'the step whose correction changes the outcome most',
      'ludus show blame 3f2a --graph': 'which event used the information of which',
      'ludus show blame 3f2a --json': 'the same, with the place of each wrong answer in the log',
    });
  },

  load: async () => (await import('../../commands/show/blame.ts')).blame,
};
