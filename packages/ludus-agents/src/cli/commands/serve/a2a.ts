/** @file `ludus serve a2a`: personas that other agents can call. */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import type { CommandRun } from '../../command.ts';
import type { Terminal } from '../../terminal.ts';
import { type ClientOptions, open, openServer, type RunningServer, type ServeFlags } from './running-server.ts';

export interface CharacterOptions {
  readonly character?: string;
  readonly persona?: readonly string[];
}

interface Options extends ServeFlags, ClientOptions, CharacterOptions {}

export const a2a: CommandRun<Options> = {
  async run({ options, terminal }) {
    return open(terminal, options, async (owner) => {
      const house = await openServer(undefined, options, owner);
      return { routes: [await personaRoutes(house, options, terminal)], named: { a2a: '/a2a' } };
    });
  },
};

/** An unknown model is reported before the server opens, not to its first caller. */
export async function checkModelName(name: string | undefined): Promise<void> {
  if (name !== undefined) (await import('@ludus-agents/agents/internal/models/kinds')).parseModelName(name);
}

/** The characters in addition to the gallery, each named after its file, without folder and extension. */
export async function readPersonas({ persona = [] }: CharacterOptions, terminal: Terminal): Promise<Readonly<Record<string, Persona>>> {
  const named = persona.map(async (file) => {
    const name = file.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
    return [name, (await resolvePersona(file, terminal)).persona] as const;
  });
  return Object.fromEntries(await Promise.all(named));
}

/** The routes with all gallery characters, and those named by the options. */
export async function personaRoutes({ episodeHost, sessionTable }: RunningServer, options: CharacterOptions, terminal: Terminal) {
  await checkModelName(options.character);
  const ownPersonas = await readPersonas(options, terminal);
  const [{ a2aRoutes }, { gallery }, { version }] = await Promise.all([
    import('@ludus-agents/servers/internal/a2a/routes'),
    import('@ludus-agents/agents/internal/personas/index'),
    import('@ludus-agents/store/internal/version'),
  ]);
  return a2aRoutes({ episodeHost, ...sessionTable, version: version, personas: { ...gallery, ...ownPersonas }, model: options.character });
}
