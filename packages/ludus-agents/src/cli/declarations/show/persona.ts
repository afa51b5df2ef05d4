/** @file What `ludus show persona` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const persona: CommandDeclaration = {
  declare(command) {
    command
      .argument('[persona]', 'a persona file in any supported format, or a gallery name')
      .option('--public', 'only what a stranger may see: no secrets, no private goals')
      .option('--prompt', 'the prompt a model reads')
      .option('--diff <persona>', 'show how the prompt differs from this persona’s')
      .option(...flag('user', 'with --prompt'));
    withJson(command);
    examples(command, {
      'ludus show persona': 'who is in the gallery',
      'ludus show persona villain': 'all of one of them',
      'ludus show persona card.png --public': 'a persona as others see it',
      'ludus show persona ann.json --diff ann-2.json': 'how an edit changes the prompt',
    });
  },

  load: async () => (await import('../../commands/show/persona.ts')).persona,
};
