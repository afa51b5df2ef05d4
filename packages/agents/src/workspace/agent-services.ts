/** @file The services of agents: models by name, locally trained agents, and tools. */

import { runScript } from '@ludus-agents/environments/internal/interpreter/interpreter';
import { Fault, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { recallEncoder } from '../encoders/installed.ts';
import type { AgentServices } from '../kinds.ts';
import { findAgent } from './agents.ts';
import { createBotServices } from './bots.ts';
import { resolveEnvironment } from './environments.ts';
import { recallEpisodes, recallLasting, recallMind, recallTools } from './lasting-memory.ts';
import { loadModel } from './loaders.ts';
import { readDefaultModel } from './models.ts';
import { type AgentForEnvironment, findNameResolver } from './name-resolvers.ts';
import { createToolSet } from './tools.ts';
import { Trust } from './trust.ts';

/**
 * The services for agents in a folder: models by name, trained models as local/RUN@best, and tools. `trust` is the origin of the agents'
 * names.
 */
export function createAgentServices(cwd: string, trust: Trust, store: StoreOptions = {}): AgentServices {
  const place = { cwd, env: process.env };
  const encoder = recallEncoder();
  return {
    model: (name) => loadModel(name, cwd, trust),
    async learned(name, environment, as) {
      const resolver = await findNameResolver<AgentForEnvironment>('agents', name, cwd);
      if (resolver === null)
        throw new Fault('input', `${name} cannot be loaded here: the part of Ludus that reads trained agents is not loaded.`);
      return (await resolver.resolve(name, { cwd, trust }))(environment, as);
    },
    ...(encoder !== undefined && { encoder }),
    tools: createToolSet(cwd, trust),
    usualModel: () => readDefaultModel(cwd),
    bot: (spec) => createBotServices(spec, cwd, trust),
    environment: (name) => resolveEnvironment(name, cwd, trust),
    ...(process.env['LUDUS_MEMORY'] === 'off'
      ? {}
      : {
          memory: (agent: string, seat: Seat) => recallLasting(place, store, agent, seat),
          lastMind: (agent: string) => recallMind(place, store, agent),
          earlierEpisodes: (agent: string) => recallEpisodes(place, store, agent),
          toolbox: (agent: string) => recallTools(place, store, agent),
        }),
    runScript(files, entry, turn) {
      const { value, ok, problem } = runScript(files, entry, { given: { turn } });
      return { value, problem: ok ? null : problem };
    },
    own: (name) => findAgent(name, cwd, trust),
    fromLog: trust === Trust.storedData,
  };
}
