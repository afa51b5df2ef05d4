/** @file What `ludus start` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';

export const start: CommandDeclaration = {
  declare(command) {
    command
      .option('--port <n>', 'where the page is served (default: 4747, or any that is free)', whole('--port', 0, 65_535))
      .option('--host <name>', 'the address to serve on; beyond this machine everything needs the token', '127.0.0.1')
      .option('--no-open', 'do not open a browser')
      .option('--games <n>', 'games to learn from: under a minute’s worth unless set', whole('--games', 1), 302_400);
    withJson(withStore(command));
    examples(command, { 'ludus start': 'open the page and watch', 'ludus demo': 'the same at the terminal alone' });
  },

  load: async () => (await import('../commands/start.ts')).start,
};
