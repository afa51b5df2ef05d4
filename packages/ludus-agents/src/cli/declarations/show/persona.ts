/** @file What `ludus show persona` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const persona: CommandDeclaration = {
  declare(command) {
    command
      .argument('[persona]', 'a file in any known format, or a name of the gallery')
      .option('--public', 'only what a stranger may see: no secrets, no private goals')
      .option('--prompt', 'the text that a model reads about it')
      .option('--diff <persona>', 'what changes in that text if this persona takes its place')
      .option(...flag('user', 'with --prompt'));
    withJson(command);
    examples(command, {
      'ludus show persona': 'who is in the gallery',
      'ludus show persona villain': 'all of one of them',
      'ludus show persona card.png --public': 'as others see somebody',
      'ludus show persona ann.json --diff ann-2.json': 'what an edit changes for the model',
    });
  },

  load: async () => (await import('../../commands/show/persona.ts')).persona,
};
