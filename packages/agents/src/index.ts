/**
 * @file The public entry: agents, models, personas, tools, the sandbox, existing bots, and the loader that turns names and files into them.
 */

import './workspace/kinds.ts';

export { createAgent, createAgentLoader } from './kinds.ts';
export { leaks, ledger } from './mind/ledger.ts';
export { fakeModel } from './models/fake.ts';
export { createModel } from './models/index.ts';
export { draftPersona, draftScene, type SceneDraft } from './personas/draft.ts';
export { exportPersona, importPersona } from './personas/exchange/detect.ts';
export { customers } from './personas/gallery/customers.ts';
export { gallery } from './personas/gallery/index.ts';
export { lexicalBigFive } from './personas/lexical.ts';
export { merge, vary } from './personas/lineage.ts';
export { parsePersona } from './personas/parse.ts';
export type { Persona } from './personas/persona.ts';
export { samplePopulation } from './personas/population/sample.ts';
export { readScene } from './personas/scene.ts';
export { type Box, openSandbox, type SandboxOptions, type SandboxResult, type SandboxTestReport } from './sandbox/sandbox.ts';
export { createTools } from './tools/create-tools.ts';
export type { Tool } from './tools/tool.ts';
export { createAgentServices } from './workspace/agent-services.ts';
export { defineConfig, type LudusConfig } from './workspace/config.ts';
export { Trust } from './workspace/trust.ts';
