/** @file Parameters that take an object in memory, plain data, or a name. */

import type { AgentFactory } from '@ludus-agents/agents/internal/workspace/agents';
import { nameObject } from '@ludus-agents/agents/internal/workspace/objects';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Agent, AgentSpec, AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { trustInProcess } from '@ludus-agents/store/internal/folder-trust';

/** A thing itself, or its name: a built-in name, a file, or a package. */
export type Ref<T> = T | string;

/** An agent in memory, a function that makes one for a seat, a spec as plain data, or a name. */
export type AgentRef = Ref<Agent | AgentFactory | AgentSpec>;

/** The trust in the names that a program passes. The program has chosen the folder, so the configuration there counts, too. */
export function programTrust(cwd: string): Trust {
  trustInProcess(cwd);
  return Trust.commandLine;
}

/** An agent as plans and suites have it: a name or a spec. */
export function specOf(agent: AgentRef): string | AgentSpec {
  if (typeof agent === 'string') return agent;
  if (typeof agent === 'function') return { name: agent.name || 'agent', kind: nameObject(agent, agent.name || 'agent') };
  return 'act' in agent ? { name: agent.name, kind: nameObject(agent, agent.name) } : agent;
}

/** The name of an environment, which may exist only in memory. */
export function environmentName(environment: Ref<AnyEnvironment>): string {
  return typeof environment === 'string' ? environment : nameObject(environment, environment.id.split('@', 1)[0]!);
}
