/** @file A house for tests: doors on a free port, a store in memory, and everything closed afterwards. */

import { agentOf } from '../agents/index.ts';
import type { EpisodeEvent, Store } from '../core/index.ts';
import { memoryStore } from '../store/index.ts';
import { type Door, type ServeOptions, type Serving, serve } from './app.ts';
import { Lobby, type LobbyOptions } from './lobby.ts';
import { type OpenEnvOptions, openEnvDoors } from './openenv/door.ts';
import { playbill } from './playbill.ts';

export interface TestHouse {
  readonly url: string;
  readonly ws: string;
  readonly store: Store;
  readonly lobby: Lobby;
  readonly serving: Serving;
  /** The log of an episode, once it is written. */
  log(episode: string): Promise<readonly EpisodeEvent[]>;
}

export interface TestHouseOptions {
  readonly lobby?: Partial<LobbyOptions>;
  readonly openenv?: Partial<OpenEnvOptions>;
  readonly doors?: (lobby: Lobby, store: Store) => readonly Door[];
  readonly host?: string;
  readonly most?: number;
  /** Tokens, rates and the like; without any, programs of this machine need no token. */
  readonly serve?: Partial<ServeOptions>;
  readonly store?: Store;
}

const open: Serving[] = [];

export async function testHouse(options: TestHouseOptions = {}): Promise<TestHouse> {
  const { lobby: changes, openenv, doors, host, most, store = memoryStore() } = options;
  const { worlds } = await playbill(undefined, process.cwd());
  const lobby = new Lobby({ worlds, agent: agentOf, store, ...changes });
  const { door, root } = openEnvDoors({ lobby, ...openenv });
  const serving = await serve({
    doors: [door, root, ...(doors?.(lobby, store) ?? [])],
    ...(host === undefined ? {} : { host }),
    ...(most === undefined ? {} : { most }),
    ...(options.serve ?? { noToken: host === undefined }),
  });
  open.push(serving);
  const log = async (episode: string) => {
    await lobby.ledger.settle();
    return store.events(episode);
  };
  return { url: serving.url, ws: serving.url.replace('http', 'ws'), store, lobby, serving, log };
}

export async function closeHouses(): Promise<void> {
  for (const serving of open.splice(0)) await serving.close();
}
