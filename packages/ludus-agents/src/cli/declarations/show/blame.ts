/** @file What `ludus show blame` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, oneOf, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const blame: CommandDeclaration = {
  seats: true,

  declare(command) {
    command
      .argument('<episode>', 'an episode, by the start of its ID')
      .option(
        '--find <how>',
        'rules: answers that a rule flags; replay: change each step and play on with the same agents',
        oneOf('--find', ['rules', 'replay']),
        'rules',
      )
      .option('--graph', 'print the information-dependency graph: which event used which')
      .option(...flag('changes', 'with replay: alternatives tried at each step'), whole('--changes', 1, 100), 6)
      .option('--steps <n>', 'with replay: steps to try, latest first', whole('--steps', 1, 10_000), 60)
      .option(...flag('agents', 'with replay: agents for all seats in order (default: those of the log)'))
      .option(...flag('cast', 'with replay'), collect)
      .option(...flag('environment', 'with replay: the environment file, if it is not built in'));
    withJson(withStore(command));
    examples(command, {
      'ludus show blame 3f2a': 'which answer went wrong first, and what depends on it',
      'ludus show blame 3f2a --find replay': 'the step whose correction changes the outcome most',
      'ludus show blame 3f2a --graph': 'which event used which information',
      'ludus show blame 3f2a --json': 'as JSON, with the index of each wrong answer',
    });
  },

  load: async () => (await import('../../commands/show/blame.ts')).blame,
};
