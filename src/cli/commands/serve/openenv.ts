/** @file `ludus serve openenv`: any seat of any environment for trainers and agents that speak OpenEnv. */

import { type CommandFile, examples } from '../../command.ts';
import { type ClientOptions, open, openServer, type ServeFlags, withClientOptions, withServeOptions } from './running-server.ts';

export const openenv: CommandFile = {
  declare(command) {
    command.argument('[world]', 'what is played at the root, by name or file; every built-in world is at /openenv/WORLD besides');
    withClientOptions(withServeOptions(command, 8000));
    examples(command, {
      'ludus serve openenv --port 8000': 'clients connect to ws://127.0.0.1:8000/openenv/tic-tac-toe/ws',
      'ludus serve openenv kuhn-poker --opponents scripted:equilibrium': 'an opponent who plays perfectly',
      'ludus serve openenv ./my-world.ts --sessions 64': 'a world of your own, for 64 at once',
      'ludus serve openenv --host 0.0.0.0 --token SECRET': 'beyond this machine: clients use ws://ludus:SECRET@HOST:8000',
    });
  },

  async run({ args, options: given, terminal }) {
    const options = given as unknown as ServeFlags & ClientOptions;
    return open(terminal, options, async (owner) => {
      const { openEnvRoutes } = await import('../../../servers/openenv/routes.ts');
      const { episodeHost, environment, sessionTable } = await openServer(args[0], options, owner);
      const { door, root } = openEnvRoutes({ episodeHost, environment, ...sessionTable });
      return { doors: [door, root], named: { openenv: environment === undefined ? '/openenv/WORLD' : '' } };
    });
  },
};
