/** @file What agents of this house are handed wherever they are cast: models by name, what was trained here, and tools. */

import type { AgentServices } from '../agents/kinds.ts';
import { findAgent } from './agents.ts';
import { createBotServices } from './bots.ts';
import type { CodeSource } from './consent.ts';
import { loadModel } from './loaders.ts';
import { readDefaultModel } from './models.ts';
import { tools } from './tools.ts';
import { loadTrainedAgent } from './trained-agents.ts';

/** The same for whoever stands in a folder: what was trained there is called local/RUN@best. `source` says who names the agents. */
export function createAgentServices(cwd: string, source: CodeSource = 'user'): AgentServices {
  return {
    model: (name) => loadModel(name, cwd, source),
    learned: (name, environment) => loadTrainedAgent(name, environment, cwd),
    tools,
    usualModel: () => readDefaultModel(cwd),
    bot: (spec) => createBotServices(spec, cwd, source),
    own: (name) => findAgent(name, cwd, source),
  };
}

export const agentServices: AgentServices = createAgentServices(process.cwd());
