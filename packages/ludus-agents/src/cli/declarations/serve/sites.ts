/** @file What `ludus serve sites` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withServeOptions } from '../../server-options.ts';

export const sites: CommandDeclaration = {
  declare(command) {
    withServeOptions(command, 8080)
      .option(...flag('task', 'of the first session, such as {"template": "shop-buy"}'))
      .option(...flag('seed', 'of the first session'), whole('--seed', 0, 2 ** 31 - 1), 1)
      .option('--pages <folder>', 'your pages: a folder of content, or task pages in MiniWoB format')
      .option(...flag('sessions'), whole('--sessions', 1, 100_000), 256)
      .option(...flag('idle'), amount('--idle'), 3600);
    examples(command, {
      'ludus serve sites --port 8080': 'print an address that works once, for one browser',
      'ludus serve sites --task \'{"template":"shop-buy","number":3}\'': 'at a task of your choice',
      'ludus serve sites --pages ./museum --task \'{"case":"maker"}\'': 'a task on your pages, from a folder of content',
      'ludus serve sites --pages ./miniwob/html': 'your own task pages; GET /pages lists which are usable',
    });
  },

  load: async () => (await import('../../commands/serve/sites.ts')).sites,
};
