/** @file `ludus serve all`: every protocol on one port, with the studio's page at its root. */

import { whereOf } from '@ludus-agents/store/internal/stores';
import { version } from '@ludus-agents/store/internal/version';
import { Hono } from 'hono';
import type { CommandRun } from '../../command.ts';
import { personaRoutes } from './a2a.ts';
import { type RecordingOptions, recordingRoutes } from './proxy.ts';
import { type ClientOptions, open, openServer, type ServeFlags } from './running-server.ts';

interface Options extends ServeFlags, ClientOptions, RecordingOptions {
  readonly admin?: boolean;
}

export const all: CommandRun<Options> = {
  async run({ options, terminal }) {
    return open(terminal, options, async (owner) => {
      const [{ openEnvRoutes }, { schemas }, { mcpRoutes }, { studioRoutes }] = await Promise.all([
        import('@ludus-agents/servers/internal/openenv/routes'),
        import('@ludus-agents/servers/internal/openenv/wire'),
        import('@ludus-agents/servers/internal/mcp/routes'),
        import('@ludus-agents/servers/internal/studio/index'),
      ]);
      const house = await openServer(undefined, options, owner);
      const { episodeHost, agent, sessionTable } = house;
      const { token } = owner;
      const { door } = openEnvRoutes({ episodeHost, ...sessionTable });
      const mcp = mcpRoutes({
        episodeHost,
        ...sessionTable,
        store: owner.store,
        version: version,
        admin: options.admin === true ? agent : undefined,
        cwd: terminal.cwd,
      });
      const page = await studioRoutes({ store: owner.store, place: terminal, token, where: whereOf(terminal, options) });
      const schema = { path: '/schema', app: new Hono().get('/', (call) => call.json(schemas as object)) };
      const proxy = await recordingRoutes(options, owner);
      const personas = await personaRoutes(house, options, terminal);
      const named = { studio: `/?token=${token}`, openenv: '/openenv/WORLD', mcp: '/mcp', a2a: '/a2a', proxy: '/v1' };
      return { routes: [door, mcp, schema, page, personas, ...proxy], named };
    });
  },
};
