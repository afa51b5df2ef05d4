/** @file The resources for MCP clients: transcripts of episodes, gallery personas, and environment rules. */

import { gallery } from '@ludus-agents/agents/internal/personas/index';
import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { transcript } from '@ludus-agents/kernel/internal/engine/transcript';
import { fromJsonSchema, type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import type { EpisodeHost } from '../episode-host.ts';
import { rulesOf } from '../seat-view.ts';

export interface LibraryOptions {
  readonly episodeHost: EpisodeHost;
  readonly store: Store | null;
  readonly environment: string | null;
}

/** The number of transcripts in a list; others can be read by id. */
const listed = 50;

export function library(server: McpServer, options: LibraryOptions): void {
  transcripts(server, options);
  personas(server);
  rules(server, options);
}

function transcripts(server: McpServer, { episodeHost, store }: LibraryOptions): void {
  const template = new ResourceTemplate('ludus://episodes/{id}', {
    async list() {
      await episodeHost.ledger.settle();
      const episodes = (await store?.episodes({ limit: listed })) ?? [];
      const ended = episodes.filter(({ status }) => status !== 'running');
      return {
        resources: ended.map(({ id, environment, status, turns }) => ({
          uri: `ludus://episodes/${id}`,
          name: `${environment} ${id.slice(0, 8)}`,
          description: `${status} after ${turns} turns`,
          mimeType: 'text/plain',
        })),
      };
    },
  });
  server.registerResource('episodes', template, { description: 'Transcripts of episodes that have ended.' }, async (uri, { id }) => {
    await episodeHost.ledger.settle();
    const record = (await store?.episode(String(id))) ?? null;
    if (store === null || record === null) throw notThere(`Episode "${id}" not found in this store.`);
    // A transcript shows the hands of all players.
    if (record.status === 'running') throw notThere(`Episode ${id} is still being played; its transcript can be read when it has ended.`);
    return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: transcript(await store.events(record.id)) }] };
  });
}

/** The protocol's error for a name that the caller can't read; any other error would be an internal error of ours. */
function notThere(sentence: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, sentence);
}

function personas(server: McpServer): void {
  const template = new ResourceTemplate('ludus://personas/{name}', {
    list: () => ({
      resources: Object.entries(gallery).map(([name, persona]) => ({
        uri: `ludus://personas/${name}`,
        name: persona.name,
        mimeType: 'application/json',
      })),
    }),
  });
  server.registerResource('personas', template, { description: 'Characters of the gallery, as documents.' }, (uri, { name }) => {
    const persona = Object.hasOwn(gallery, String(name)) ? gallery[String(name)] : undefined;
    if (persona === undefined) throw notThere(`Unknown persona "${name}".`);
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(persona, null, 2) }] };
  });
}

function rules(server: McpServer, { episodeHost, environment }: LibraryOptions): void {
  const how = 'Take your seat with the tool look, answer with act until the game is over, and say then how it went.';
  const rulesResource = async (name: string) => {
    const text = `${rulesOf(await episodeHost.environment(name))}\n\n${how}`;
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  };
  const description = 'The rules, and how to take a seat.';
  if (environment !== null) {
    server.registerPrompt('rules', { description }, () => rulesResource(environment));
    return;
  }
  const argsSchema = fromJsonSchema<{ readonly world: string }>({
    type: 'object',
    properties: { world: { type: 'string', enum: episodeHost.environmentNames as string[], description: 'the environment to play' } },
    required: ['world'],
  });
  server.registerPrompt('rules', { description, argsSchema }, ({ world: name }) => rulesResource(name));
}
