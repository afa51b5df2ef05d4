/** @file The public entry point. Serves Ludus over OpenEnv, MCP, A2A and HTTP; runs workers; provides the studio's API and page. */

import './kinds.ts';

export { a2aRoutes } from './a2a/routes.ts';
export { type HttpRoutes, type Serving, serve } from './app.ts';
export { openAuditLog } from './audit-log.ts';
export { listKind } from './describe.ts';
export { openCatalogue } from './environment-catalogue.ts';
export { EpisodeHost } from './episode-host.ts';
export { enqueuePlan } from './fleet/enqueue-plan.ts';
export { type FleetView, fleetView } from './fleet/fleet-status.ts';
export { runByWorkers } from './fleet/run-by-workers.ts';
export { Worker, type WorkerOptions } from './fleet/worker.ts';
export { startWorkers } from './fleet/worker-pool.ts';
export { kinds } from './kinds.ts';
export { mcpRoutes, mcpStdio } from './mcp/routes.ts';
export { openEnvRoutes } from './openenv/routes.ts';
export { proxyRoutes } from './proxy/routes.ts';
export { studioRoutes } from './studio/index.ts';
export { createToken, tokenFinder } from './tokens.ts';
