/** @file What `ludus improve ablate` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const ablate: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent with parts: a pipeline, a team, or a language agent; usually a file')
      .requiredOption('--on <environment>', 'what is played')
      .option(...flag('task', 'or a list of them'))
      .option(...flag('seat', 'that of the agent (default: the first)'))
      .option(...flag('against', 'an agent for the other seats (default: the scripts of the environment, else random)'))
      .option(...flag('games', 'for each arm and task, on the same seeds'), whole('--games', 2, 100_000), 20)
      .option(...flag('seed', 'the first of several'), whole('--seed', 0), 1)
      .option('--without <names>', 'only these parts, separated by commas (default: all, one at a time)')
      .option('--thinking', 'also with the thinking of the models themselves off, and high')
      .option(
        '--reflex <agent>',
        'of a search: with a simulator that errs more and more, and up to which error it is worth more than this agent',
      )
      .option(...flag('yes'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus improve ablate ./pipeline.json --on codebreaker': 'what each module is worth, and what it costs',
      'ludus improve ablate ./team.json --on tic-tac-toe --against random --games 50': 'the same for the members of a team',
      'ludus improve ablate ./agent.json --on maths --without memory --thinking --json':
        'memory, and the model’s own thinking; every flip for machines',
      'ludus improve ablate ./search.json --on tic-tac-toe --against random --reflex scripted:lookahead --games 100':
        'how wrong a simulator may be before reflexes are better',
    });
    command.addHelpText(
      'after',
      '\nParts are the modules of a pipeline, the members of a team but its lead, and of a language agent its memory, plan,\nreflection, tools, notes, persona and texts. The episodes are kept; the same command again plays what is missing.',
    );
  },

  load: async () => (await import('../../commands/improve/ablate.ts')).ablate,
};
