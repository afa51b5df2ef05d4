/** @file Everything that the service desk exports: the environment, its task generator, and the reader of τ²-bench task files. */

export type { ServiceOutcome } from './outcome.ts';
export type { Scenario } from './scenario.ts';
export { nullPassRate, serviceDesk, serviceDeskTasks } from './service-desk.ts';
export { readTau2, type Tau2Reading, type Tau2Task } from './tau2.ts';
