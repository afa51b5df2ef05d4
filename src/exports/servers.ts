/** @file `ludus/servers`: one HTTP app, what can be mounted on it, workers, and datasets for what trainers already use. */

import '../workspace/all-kinds.ts';

export { importAny } from '../datasets/import.ts';
export { writeDataset } from '../datasets/write.ts';
export { enqueuePlan } from '../fleet/enqueue-plan.ts';
export { type FleetView, fleetView } from '../fleet/fleet-status.ts';
export { runByWorkers } from '../fleet/run-by-workers.ts';
export { Worker, type WorkerOptions } from '../fleet/worker.ts';
export { startWorkers } from '../fleet/worker-pool.ts';
export { a2aRoutes } from '../servers/a2a/routes.ts';
export { type HttpRoutes, type Serving, serve } from '../servers/app.ts';
export { openAuditLog } from '../servers/audit-log.ts';
export { openCatalogue } from '../servers/environment-catalogue.ts';
export { EpisodeHost } from '../servers/episode-host.ts';
export { mcpRoutes, mcpStdio } from '../servers/mcp/routes.ts';
export { openEnvRoutes } from '../servers/openenv/routes.ts';
export { proxyRoutes } from '../servers/proxy/routes.ts';
export { studioRoutes } from '../servers/studio/index.ts';
export { createToken, tokenFinder } from '../servers/tokens.ts';
export { type DatasetFormat, formats } from '../store/exports/index.ts';
export { copyStore, openSharedStore, type SharedStore } from '../store/index.ts';
export { createAgentServices } from '../workspace/agent-services.ts';
export { Trust } from '../workspace/trust.ts';
