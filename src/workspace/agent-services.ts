/** @file The services that agents get wherever they are cast: models by name, what was trained here, and tools. */

import type { AgentServices } from '../agents/kinds.ts';
import { Fault, type Seat } from '../core/index.ts';
import { runScript } from '../environments/interpreter/interpreter.ts';
import { findAgent } from './agents.ts';
import { createBotServices } from './bots.ts';
import type { CodeSource } from './consent.ts';
import { resolveEnvironment } from './environments.ts';
import { recallLasting, recallMind, recallTools } from './lasting-memory.ts';
import { loadModel } from './loaders.ts';
import { readDefaultModel } from './models.ts';
import { type AgentForEnvironment, findNameResolver } from './name-resolvers.ts';
import type { StoreOptions } from './stores.ts';
import { createToolSet } from './tools.ts';

/** What agents need in a folder: models by name, what was trained there as local/RUN@best, and tools. `source` says who names the agents. */
export function createAgentServices(cwd: string, source: CodeSource = 'user', store: StoreOptions = {}): AgentServices {
  const place = { cwd, env: process.env };
  return {
    model: (name) => loadModel(name, cwd, source),
    async learned(name, environment) {
      const resolver = await findNameResolver<AgentForEnvironment>('agents', name, cwd);
      if (resolver === null)
        throw new Fault('input', `${name} cannot be loaded here: the part of Ludus that reads what was trained is not loaded.`);
      return (await resolver.resolve(name, { cwd, source }))(environment);
    },
    tools: createToolSet(cwd, source),
    usualModel: () => readDefaultModel(cwd),
    bot: (spec) => createBotServices(spec, cwd, source),
    environment: (name) => resolveEnvironment(name, cwd, source),
    ...(process.env['LUDUS_MEMORY'] === 'off'
      ? {}
      : {
          memory: (agent: string, seat: Seat) => recallLasting(place, store, agent, seat),
          lastMind: (agent: string) => recallMind(place, store, agent),
          toolbox: (agent: string) => recallTools(place, store, agent),
        }),
    runScript(files, entry, turn) {
      const { value, ok, problem } = runScript(files, entry, { given: { turn } });
      return { value, problem: ok ? null : problem };
    },
    own: (name) => findAgent(name, cwd, source),
    fromLog: source === 'data',
  };
}

export const agentServices: AgentServices = createAgentServices(process.cwd());
