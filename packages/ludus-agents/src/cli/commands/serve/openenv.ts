/** @file `ludus serve openenv`: any seat of any environment for OpenEnv trainers and agents. */

import type { CommandRun, OptionalArguments } from '../../command.ts';
import { type ClientOptions, open, openServer, type ServeFlags } from './running-server.ts';

export const openenv: CommandRun<ServeFlags & ClientOptions, OptionalArguments> = {
  async run({ args, options, terminal }) {
    return open(terminal, options, async (owner) => {
      const { openEnvRoutes } = await import('@ludus-agents/servers/internal/openenv/routes');
      const { episodeHost, environment, sessionTable } = await openServer(args[0], options, owner);
      const { door, root } = openEnvRoutes({ episodeHost, environment, ...sessionTable });
      return { routes: [door, root], named: { openenv: environment === undefined ? '/openenv/WORLD' : '' } };
    });
  },
};
