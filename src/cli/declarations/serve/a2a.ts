/** @file What `ludus serve a2a` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { withClientOptions, withServeOptions } from '../../server-options.ts';

export const a2a: CommandDeclaration = {
  declare(command) {
    command.option('--character <model>', 'who plays them (default: a script with the lines on the card)');
    withClientOptions(withServeOptions(command, 8002));
    examples(command, {
      'ludus serve a2a': 'cards at /a2a/NAME/.well-known/agent-card.json',
      'ludus serve a2a --character openai/gpt-5-mini': 'characters played by a model',
    });
  },

  load: async () => (await import('../../commands/serve/a2a.ts')).a2a,
};
