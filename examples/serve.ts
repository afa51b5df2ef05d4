/** @file One HTTP server with several routes: worlds for trainers, seats for MCP clients, personas for other agents. It answers a request and closes. */

import { createAgent, openStore } from 'ludus-agents';
import { gallery } from 'ludus-agents/personas';
import { a2aRoutes, EpisodeHost, mcpRoutes, openCatalogue, openEnvRoutes, serve, Trust } from 'ludus-agents/servers';

const store = await openStore('memory:');
const { environments } = await openCatalogue(undefined, process.cwd(), Trust.commandLine);
const episodeHost = new EpisodeHost({ environments, agent: createAgent, store });
const sessions = { most: 16, idle: 60_000 };
const { door, root } = openEnvRoutes({ episodeHost, environment: 'tic-tac-toe', ...sessions });
const serving = await serve({
  routes: [
    door,
    root,
    mcpRoutes({ episodeHost, environment: undefined, version: '1.0.0', store, ...sessions }),
    a2aRoutes({ episodeHost, version: '1.0.0', personas: gallery, ...sessions }),
  ],
  port: 0,
});
try {
  const headers = { authorization: `Bearer ${serving.token}` };
  const health = await fetch(`${serving.url}/health`, { headers });
  console.log(`GET /health: ${health.status}`);
  const card = (await (await fetch(`${serving.url}/a2a/innkeeper/.well-known/agent-card.json`, { headers })).json()) as { name: string };
  console.log(`an agent for other agents: ${card.name}`);
  const refused = await fetch(`${serving.url}/openenv/tic-tac-toe/reset`, { method: 'POST', body: '{}' });
  console.log(`without a token: ${refused.status}`);
} finally {
  await serving.close();
  await store.close();
}
