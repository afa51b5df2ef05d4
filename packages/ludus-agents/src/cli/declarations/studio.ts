/** @file Declares the options, help, and examples of `ludus studio`. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const studio: CommandDeclaration = {
  declare(command) {
    command
      .option(...flag('port', '(default: 4747, or a free one)'), whole('--port', 0, 65_535))
      .option(...flag('host'), '127.0.0.1')
      .option('--no-open', 'don’t open a browser')
      .option('--demo', 'train a small model on Kuhn poker while you watch')
      .option('--demo-games <n>', 'number of games in the demo (default: less than a minute of training)', whole('--demo-games', 1));
    withJson(withStore(command));
    examples(command, {
      'ludus studio': 'open the studio in your browser',
      'ludus studio --demo': 'watch a model teach itself poker, then play against it',
      'ludus studio --port 8080 --no-open': 'only print the address',
      'ludus studio --store other.sqlite': 'open another store',
    });
  },

  load: async () => (await import('../commands/studio.ts')).studio,
};
