/** @file What `ludus serve a2a` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { withCharacters, withClientOptions, withServeOptions } from '../../server-options.ts';

export const a2a: CommandDeclaration = {
  declare(command) {
    withClientOptions(withServeOptions(withCharacters(command), 8002));
    examples(command, {
      'ludus serve a2a': 'cards at /a2a/NAME/.well-known/agent-card.json',
      'ludus serve a2a --persona ./ann.json': 'and your character, at /a2a/ann',
      'ludus serve a2a --character openai/gpt-5-mini': 'characters played by a model',
    });
  },

  load: async () => (await import('../../commands/serve/a2a.ts')).a2a,
};
