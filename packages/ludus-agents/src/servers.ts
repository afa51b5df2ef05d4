/** @file `ludus-agents/servers`: one HTTP app, its mountable routes, workers, and datasets for other trainers. */

import '@ludus-agents/servers/internal/kinds';

export { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
export { Trust } from '@ludus-agents/agents/internal/workspace/trust';
export { importAny } from '@ludus-agents/evaluation/internal/conversations/import';
export { writeDataset } from '@ludus-agents/learning/internal/datasets/write';
export { a2aRoutes } from '@ludus-agents/servers/internal/a2a/routes';
export { type HttpRoutes, type Serving, serve } from '@ludus-agents/servers/internal/app';
export { openAuditLog } from '@ludus-agents/servers/internal/audit-log';
export { openCatalogue } from '@ludus-agents/servers/internal/environment-catalogue';
export { EpisodeHost } from '@ludus-agents/servers/internal/episode-host';
export { enqueuePlan } from '@ludus-agents/servers/internal/fleet/enqueue-plan';
export { type FleetView, fleetView } from '@ludus-agents/servers/internal/fleet/fleet-status';
export { runByWorkers } from '@ludus-agents/servers/internal/fleet/run-by-workers';
export { Worker, type WorkerOptions } from '@ludus-agents/servers/internal/fleet/worker';
export { startWorkers } from '@ludus-agents/servers/internal/fleet/worker-pool';
export { mcpRoutes, mcpStdio } from '@ludus-agents/servers/internal/mcp/routes';
export { openEnvRoutes } from '@ludus-agents/servers/internal/openenv/routes';
export { proxyRoutes } from '@ludus-agents/servers/internal/proxy/routes';
export { studioRoutes } from '@ludus-agents/servers/internal/studio/index';
export { createToken, tokenFinder } from '@ludus-agents/servers/internal/tokens';
export { type DatasetFormat, formats } from '@ludus-agents/store/internal/exports/index';
export { copyStore, openSharedStore, type SharedStore } from '@ludus-agents/store/internal/open-store';
