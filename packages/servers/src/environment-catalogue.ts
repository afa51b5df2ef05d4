/** @file The environments that a server offers: all built-in ones, those in the configuration, and optionally one user file. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { environmentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { type AnyEnvironment, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { ownNames } from './describe.ts';

export interface EnvironmentCatalogue {
  readonly environments: ReadonlyMap<string, () => Promise<AnyEnvironment>>;
  /** The name of the requested environment, by name or file. */
  readonly environment: string | undefined;
}

/** The built-in environments, the user's from the configuration, and one by name or file. */
export async function openCatalogue(typed: string | undefined, cwd: string, trust: Trust): Promise<EnvironmentCatalogue> {
  const environments = new Map(environmentNames().map((name) => [name, () => builtInEnvironment(name)]));
  for (const name of await ownNames(environmentKind, cwd)) environments.set(name, () => resolveEnvironment(name, cwd, Trust.configuration));
  if (typed === undefined) return { environments, environment: undefined };
  const anyEnvironment = await resolveEnvironment(typed, cwd, trust);
  environments.set(nameOf(anyEnvironment), async () => anyEnvironment);
  return { environments, environment: nameOf(anyEnvironment) };
}
