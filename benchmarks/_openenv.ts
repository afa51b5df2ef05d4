/** @file The OpenEnv door for the benchmark, in a process of its own: its episodes kept in the file that is named, or not at all. */

import '../src/workspace/all-kinds.ts';
import { createAgent } from '../src/agents/kinds.ts';
import { serve } from '../src/servers/app.ts';
import { openCatalogue } from '../src/servers/environment-catalogue.ts';
import { EpisodeHost } from '../src/servers/episode-host.ts';
import { openEnvRoutes } from '../src/servers/openenv/routes.ts';
import { serverStore } from '../src/store/index.ts';
import { Trust } from '../src/workspace/trust.ts';

const [file] = process.argv.slice(2);
const { environments } = await openCatalogue(undefined, process.cwd(), Trust.commandLine);
const episodeHost = new EpisodeHost({ environments, agent: createAgent, store: file === undefined ? null : await serverStore(file) });
const { url } = await serve({ doors: [openEnvRoutes({ episodeHost, most: 2000 }).door], noToken: true });
process.stdout.write(`${url}\n`);
