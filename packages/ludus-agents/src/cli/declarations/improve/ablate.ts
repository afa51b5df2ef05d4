/** @file What `ludus improve ablate` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const ablate: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent with parts: a pipeline, a team, or a language agent')
      .requiredOption('--on <environment>', 'the environment')
      .option(...flag('task', 'or a list of them'))
      .option(...flag('seat', 'the seat of the agent (default: the first)'))
      .option(...flag('against', 'an agent for the other seats (default: the environment’s scripts, or random)'))
      .option(...flag('games', 'episodes per arm and task, on the same seeds'), whole('--games', 2, 100_000), 20)
      .option(...flag('seed', 'the first seed'), whole('--seed', 0), 1)
      .option('--without <names>', 'only these parts, separated by commas (default: all, one at a time)')
      .option('--thinking', 'also try the models with reasoning off and on high')
      .option('--reflex <agent>', 'search agents: how much simulator error they tolerate before this agent is better')
      .option(...flag('yes'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus improve ablate ./pipeline.json --on codebreaker': 'what each module adds and costs',
      'ludus improve ablate ./team.json --on tic-tac-toe --against random --games 50': 'the same for the members of a team',
      'ludus improve ablate ./agent.json --on maths --without memory --thinking --json': 'memory and reasoning, as JSON',
      'ludus improve ablate ./search.json --on tic-tac-toe --against random --reflex scripted:lookahead --games 100':
        'how wrong a simulator may be before a simple agent is better',
    });
    command.addHelpText(
      'after',
      '\nComponents are the modules of a pipeline, the members of a team except its lead, and the memory, plan, reflection, tools,\nnotes, persona, and texts of a language agent. Episodes are stored; the same command plays only what is missing.',
    );
  },

  load: async () => (await import('../../commands/improve/ablate.ts')).ablate,
};
