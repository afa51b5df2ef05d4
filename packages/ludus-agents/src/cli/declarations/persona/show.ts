/** @file What `ludus persona show` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const show: CommandDeclaration = {
  declare(command) {
    command
      .argument('[persona]', 'a file in any known format, or a name of the gallery')
      .option('--public', 'only what a stranger may see: no secrets, no private goals');
    withJson(command);
    examples(command, {
      'ludus persona show': 'who is in the gallery',
      'ludus persona show villain': 'all of one of them',
      'ludus persona show card.png --public': 'as others see somebody',
    });
  },

  load: async () => (await import('../../commands/persona/show.ts')).show,
};
