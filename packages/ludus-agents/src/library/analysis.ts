/** @file `exploit` and `coverage`: how far a model is from perfect play, and how much of an environment its players reach. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { type Coverage, type CoverageRequest, coverageOf } from '@ludus-agents/evaluation/internal/coverage';
import { type Exploited, type ExploitOptions, exploit as exploitModel } from '@ludus-agents/evaluation/internal/exploit';
import type { AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import '@ludus-agents/servers/internal/kinds';
import { type AgentRef, environmentName, programTrust, type Ref, specOf } from './refs.ts';

/** What `exploit` takes. */
export interface ExploitRequest extends Omit<ExploitOptions, 'trust'> {
  /** A model by name, such as local/RUN@best. */
  readonly model: string;
  /** A game that is small enough to be solved. */
  readonly environment: Ref<AnyEnvironment>;
}

/** What `coverage` takes. */
export interface CoverageOptions extends Partial<Pick<CoverageRequest, 'task' | 'episodes' | 'repeats' | 'seed' | 'signal'>> {
  readonly environment: Ref<AnyEnvironment>;
  /** Who plays every seat, one after the other. Each is compared with the first. */
  readonly agents?: readonly AgentRef[];
  readonly cwd?: string;
}

export async function exploit({ model, environment, cwd = process.cwd(), ...rest }: ExploitRequest): Promise<Exploited> {
  const trust = programTrust(cwd);
  return exploitModel(model, await resolveEnvironment(environmentName(environment), cwd, trust), { ...rest, cwd, trust });
}

export async function coverage(request: CoverageOptions): Promise<Coverage> {
  const { agents = ['random', 'explorer'], cwd = process.cwd(), episodes = 100, repeats = 5, ...rest } = request;
  const trust = programTrust(cwd);
  const environment = await resolveEnvironment(environmentName(request.environment), cwd, trust);
  const load = createAgentLoader(createAgentServices(cwd, trust));
  const named = agents.map(specOf);
  const specs = await Promise.all(named.map((spec) => (typeof spec === 'string' ? readSpec(spec, cwd, trust) : spec)));
  const players = Object.fromEntries(specs.map((spec) => [spec.name, (seat: string) => load(spec, seat, environment)]));
  return coverageOf({ ...rest, environment, players, episodes, repeats });
}
