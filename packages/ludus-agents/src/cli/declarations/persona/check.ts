/** @file What `ludus persona check` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const check: CommandDeclaration = {
  declare(command) {
    command.argument('<persona>', 'a persona file in any supported format, or a gallery name; - for standard input');
    withJson(command);
    examples(command, {
      'ludus persona check ann.json': 'exits with 0 if valid, 1 if not',
      'ludus persona check ann.json --json': '{"valid":true,"format":"persona","problems":[],"flaws":[]}',
    });
  },

  load: async () => (await import('../../commands/persona/check.ts')).check,
};
