/** @file `ludus serve a2a`: personas that other agents call. */

import type { Command } from 'commander';
import type { Persona } from '../../../personas/index.ts';
import { resolvePersona } from '../../../workspace/personas.ts';
import { type CommandFile, examples } from '../../command.ts';
import type { Terminal } from '../../terminal.ts';
import { collect } from '../play.ts';
import {
  type ClientOptions,
  open,
  openServer,
  type RunningServer,
  type ServeFlags,
  withClientOptions,
  withServeOptions,
} from './running-server.ts';

export interface CharacterOptions {
  readonly character?: string;
  readonly persona?: readonly string[];
}

interface Options extends ServeFlags, ClientOptions, CharacterOptions {}

export const a2a: CommandFile = {
  declare(command) {
    withClientOptions(withServeOptions(withCharacters(command), 8002));
    examples(command, {
      'ludus serve a2a': 'cards at /a2a/NAME/.well-known/agent-card.json',
      'ludus serve a2a --persona ./ann.json': 'and a character of your own, at /a2a/ann',
      'ludus serve a2a --character openai/gpt-5-mini': 'characters played by a model',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    return open(terminal, options, async (owner) => {
      const house = await openServer(undefined, options, owner);
      return { doors: [await personaRoutes(house, options, terminal)], named: { a2a: '/a2a' } };
    });
  },
};

/** A name that no model has is said before the server opens, and not to its first caller. */
export async function checkModelName(name: string | undefined): Promise<void> {
  if (name !== undefined) (await import('../../../models/kinds.ts')).parseModelName(name);
}

export function withCharacters(command: Command): Command {
  return command
    .option('--character <model>', 'who plays the characters (default: a script with the lines on the card)')
    .option(
      '--persona <file>',
      'a character besides those of the gallery, called by the name of its file; may be given several times',
      collect,
    );
}

/** The characters besides those of the gallery, each under the name of its file, without folders and ending. */
export async function readPersonas({ persona = [] }: CharacterOptions, terminal: Terminal): Promise<Readonly<Record<string, Persona>>> {
  const named = persona.map(async (file) => {
    const name = file.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
    return [name, (await resolvePersona(file, terminal)).persona] as const;
  });
  return Object.fromEntries(await Promise.all(named));
}

/** The routes with everyone of the gallery behind them, and whom the options name. */
export async function personaRoutes({ episodeHost, sessionTable }: RunningServer, options: CharacterOptions, terminal: Terminal) {
  await checkModelName(options.character);
  const own = await readPersonas(options, terminal);
  const [{ a2aRoutes }, { gallery }, { version }] = await Promise.all([
    import('../../../servers/a2a/routes.ts'),
    import('../../../personas/index.ts'),
    import('../../../workspace/version.ts'),
  ]);
  return a2aRoutes({ episodeHost, ...sessionTable, version: version, personas: { ...gallery, ...own }, model: options.character });
}
