/** @file What `ludus show blame` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, oneOf, whole, withJson, withStore } from '../../command.ts';

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
      .option('--changes <n>', 'replay: changes of each step that are tried', whole('--changes', 1, 100), 6)
      .option('--steps <n>', 'replay: steps that are tried, the latest that the end depends on', whole('--steps', 1, 10_000), 60)
      .option('--agents <names>', 'replay: agents for all seats in order, separated by commas; those of the log without it')
      .option('--seat <seat=agent>', 'replay: the agent of one seat; --SEAT AGENT is short for it', collect)
      .option('--environment <file>', 'replay: the rules, when they are not built in');
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
