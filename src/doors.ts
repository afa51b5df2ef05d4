/** @file The door to doors, `ludus/servers`: one HTTP app, what can be mounted on it, workers, and datasets for what trainers already use. */

export { writeDataset } from './company/datasets/files.ts';
export { importAny } from './company/imports.ts';
export { offerPlan } from './fleet/offer.ts';
export { runByWorkers } from './fleet/run.ts';
export { type FleetView, fleetView } from './fleet/view.ts';
export { Worker, type WorkerOptions } from './fleet/worker.ts';
export { a2aDoor } from './servers/a2a/door.ts';
export { type Door, type Serving, serve } from './servers/app.ts';
export { openAuditLog } from './servers/audit-log.ts';
export { Lobby } from './servers/lobby.ts';
export { mcpDoor, mcpStdio } from './servers/mcp/door.ts';
export { openEnvDoors } from './servers/openenv/door.ts';
export { proxyDoors } from './servers/proxy/door.ts';
export { studioDoor } from './servers/studio/index.ts';
export { createToken, tokenFinder } from './servers/tokens.ts';
export { type Format, formats } from './store/exports/index.ts';
export { copyStore, openPremises, type Premises } from './store/index.ts';
