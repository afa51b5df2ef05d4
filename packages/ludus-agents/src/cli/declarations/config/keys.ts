/** @file What `ludus config keys` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const keys: CommandDeclaration = {
  declare(command) {
    command
      .argument('[action]', 'list, set, or remove', 'list')
      .argument('[name]', 'a variable such as OPENAI_API_KEY, or the server the key is for; it is sent nowhere else');
    withJson(command);
    examples(command, {
      'ludus config keys': 'show which keys are set, and for which server',
      'ludus config keys set https://models.example.org < key.txt': 'store a key for one server',
      'ludus config keys remove https://models.example.org': 'remove it',
    });
  },

  load: async () => (await import('../../commands/config/keys.ts')).keys,
};
