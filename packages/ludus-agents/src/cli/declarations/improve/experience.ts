/** @file What `ludus improve experience` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const experience: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'the environment whose kept episodes are read')
      .requiredOption(...flag('agent', 'it gets the experience'))
      .requiredOption(...flag('output'))
      .option(...flag('seat', 'whose steps they are (default: the first)'))
      .option(...flag('run', 'only its episodes (default: all)'));
    withJson(withStore(command));
    examples(command, {
      'ludus improve experience quest-world --agent ./ann.json -o taught.json': 'from all episodes that are kept, whoever played them',
      'ludus improve ablate ./taught.json --on quest-world': 'what each part of it is worth',
    });
  },

  load: async () => (await import('../../commands/improve/experience.ts')).experience,
};
