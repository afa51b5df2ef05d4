/** @file What `ludus persona import` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const importCommand: CommandDeclaration = {
  declare(command) {
    command.argument('<file>', 'a JSON, PNG, or CHARX file; - for standard input').option(...flag('output', '(default: standard output)'));
    withJson(command);
    examples(command, {
      'ludus persona import card.png -o ann.json': 'from a character card in an image',
      'ludus persona import Lisa.agent.json --json': 'from TinyTroupe, as JSON',
    });
  },

  load: async () => (await import('../../commands/persona/import.ts')).importCommand,
};
