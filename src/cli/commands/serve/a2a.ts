/** @file `ludus serve a2a`: personas that other agents call. */

import type { A2AOptions } from '../../../servers/a2a/routes.ts';
import type { CommandRun } from '../../command.ts';
import { type ClientOptions, open, openServer, type RunningServer, type ServeFlags } from './running-server.ts';

interface Options extends ServeFlags, ClientOptions {
  readonly character?: string;
}

export const a2a: CommandRun = {
  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    return open(terminal, options, async (owner) => {
      const house = await openServer(undefined, options, owner);
      return { doors: [await personaRoutes(house, options.character)], named: { a2a: '/a2a' } };
    });
  },
};

/** A name that no model has is said before the server opens, and not to its first caller. */
export async function checkModelName(name: string | undefined): Promise<void> {
  if (name !== undefined) (await import('../../../models/kinds.ts')).parseModelName(name);
}

/** The routes with everyone of the gallery behind them. */
export async function personaRoutes({ episodeHost, sessionTable }: RunningServer, model: A2AOptions['model']) {
  await checkModelName(model);
  const [{ a2aRoutes }, { gallery }, { version }] = await Promise.all([
    import('../../../servers/a2a/routes.ts'),
    import('../../../personas/index.ts'),
    import('../../../workspace/version.ts'),
  ]);
  return a2aRoutes({ episodeHost, ...sessionTable, version: version, personas: gallery, model });
}
