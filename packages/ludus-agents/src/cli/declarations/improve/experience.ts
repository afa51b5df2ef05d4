/** @file What `ludus improve experience` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';

export const experience: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'the environment whose kept episodes are read')
      .requiredOption('--agent <file>', 'the language agent that is to have it')
      .requiredOption('-o, --output <file>', 'where the agent with its experience is written')
      .option('--seat <name>', 'whose steps they are (default: the first seat)')
      .option('--run <run>', 'only episodes of this run (default: all that are kept)');
    withJson(withStore(command));
    examples(command, {
      'ludus improve experience quest-world --agent ./ann.json -o taught.json': 'from all episodes that are kept, whoever played them',
      'ludus improve ablate ./taught.json --on quest-world': 'what each part of it is worth',
    });
  },

  load: async () => (await import('../../commands/improve/experience.ts')).experience,
};
