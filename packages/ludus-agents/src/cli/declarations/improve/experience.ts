/** @file What `ludus improve experience` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const experience: CommandDeclaration = {
  declare(command) {
    command
      .argument('[environment]', 'the environment whose stored episodes are read')
      .option(...flag('agent', 'the agent that gets the experience (default: write a pack)'))
      .option(...flag('pack', 'give this pack to the agent, instead of stored episodes'))
      .requiredOption(...flag('output'))
      .option(...flag('seat', 'the seat to learn from (default: the first)'))
      .option(...flag('run', 'only episodes of this run (default: all)'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve experience quest-world --agent ./ann.json -o taught.json': 'from all stored episodes, by any agent',
      'ludus improve experience ./mine.ts --run week -o pack.json': 'a pack: what worked in each task, why, and an episode',
      'ludus improve experience --pack ./pack.json --agent ./team.json -o taught.json': 'give a pack to another agent or team',
      'ludus improve ablate ./taught.json --on quest-world': 'what each part of it adds',
    });
  },

  load: async () => (await import('../../commands/improve/experience.ts')).experience,
};
