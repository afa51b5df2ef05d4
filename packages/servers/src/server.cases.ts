/** @file A server for tests: routes on a free port, a store in memory, and everything closed afterwards. */

import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { type HttpRoutes, type ServeOptions, type Serving, serve } from './app.ts';
import { openCatalogue } from './environment-catalogue.ts';
import { EpisodeHost, type EpisodeHostOptions } from './episode-host.ts';
import { type OpenEnvOptions, openEnvRoutes } from './openenv/routes.ts';

export interface TestServer {
  readonly url: string;
  readonly ws: string;
  readonly store: Store;
  readonly episodeHost: EpisodeHost;
  readonly serving: Serving;
  /** The log of an episode, once it is written. */
  log(episode: string): Promise<readonly EpisodeEvent[]>;
}

export interface TestServerOptions {
  readonly episodeHost?: Partial<EpisodeHostOptions>;
  readonly openenv?: Partial<OpenEnvOptions>;
  readonly routes?: (episodeHost: EpisodeHost, store: Store) => readonly HttpRoutes[];
  readonly host?: string;
  readonly most?: number;
  /** Tokens, rates and the like; without any, programs of this machine need no token. */
  readonly serve?: Partial<ServeOptions>;
  readonly store?: Store;
}

const open: Serving[] = [];

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { episodeHost: changes, openenv, routes, host, most, store = memoryStore() } = options;
  const { environments } = await openCatalogue(undefined, process.cwd(), Trust.commandLine);
  const episodeHost = new EpisodeHost({ environments, agent: createAgent, store, ...changes });
  const { door, root } = openEnvRoutes({ episodeHost, ...openenv });
  const serving = await serve({
    routes: [door, root, ...(routes?.(episodeHost, store) ?? [])],
    ...(host === undefined ? {} : { host }),
    ...(most === undefined ? {} : { most }),
    ...(options.serve ?? { noToken: host === undefined }),
  });
  open.push(serving);
  const log = async (episode: string) => {
    await episodeHost.ledger.settle();
    return store.events(episode);
  };
  return { url: serving.url, ws: serving.url.replace('http', 'ws'), store, episodeHost, serving, log };
}

export async function closeTestServers(): Promise<void> {
  for (const serving of open.splice(0)) await serving.close();
}
