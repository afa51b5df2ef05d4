/** @file What `ludus persona check` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command.argument('<persona>', 'a file in any known format, or a name of the gallery; - for standard input');
    withJson(command);
    examples(command, {
      'ludus persona check ann.json': 'exit code 0 when all is well, 1 when something is wrong',
      'ludus persona check ann.json --json': '{"valid":true,"format":"persona","problems":[],"flaws":[]}',
    });
  },

  load: async () => (await import('../../commands/persona/check.ts')).check,
};
