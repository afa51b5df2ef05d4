/** @file What `ludus serve openenv` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { withClientOptions, withServeOptions } from '../../server-options.ts';

export const openenv: CommandDeclaration = {
  declare(command) {
    command.argument('[world]', 'the environment at the root, by name or file; every built-in one is at /openenv/NAME');
    withClientOptions(withServeOptions(command, 8000));
    examples(command, {
      'ludus serve openenv --port 8000': 'clients connect to ws://127.0.0.1:8000/openenv/tic-tac-toe/ws',
      'ludus serve openenv kuhn-poker --opponents scripted:equilibrium': 'against a perfect opponent',
      'ludus serve openenv ./my-world.ts --sessions 64': 'your own environment, 64 sessions',
      'ludus serve openenv --host 0.0.0.0 --token SECRET': 'beyond this machine: clients use ws://ludus:SECRET@HOST:8000',
    });
  },

  load: async () => (await import('../../commands/serve/openenv.ts')).openenv,
};
