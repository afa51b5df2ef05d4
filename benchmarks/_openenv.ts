/** @file The OpenEnv door for the benchmark, in its own process: its episodes kept in the file that is named, or not at all. */

import '@ludus-agents/servers/internal/kinds';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { serve } from '@ludus-agents/servers/internal/app';
import { openCatalogue } from '@ludus-agents/servers/internal/environment-catalogue';
import { EpisodeHost } from '@ludus-agents/servers/internal/episode-host';
import { openEnvRoutes } from '@ludus-agents/servers/internal/openenv/routes';
import { serverStore } from '@ludus-agents/store/internal/open-store';

const [file] = process.argv.slice(2);
const { environments } = await openCatalogue(undefined, process.cwd(), Trust.commandLine);
const episodeHost = new EpisodeHost({ environments, agent: createAgent, store: file === undefined ? null : await serverStore(file) });
const { url } = await serve({ routes: [openEnvRoutes({ episodeHost, most: 2000 }).door], noToken: true });
process.stdout.write(`${url}\n`);
