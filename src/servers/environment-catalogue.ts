/** @file The environments that a server offers: all built-in ones and optionally one of the user's own. */

import { type AnyEnvironment, nameOf } from '../core/index.ts';
import { builtInEnvironment, environmentNames } from '../environments/index.ts';
import { resolveEnvironment } from '../workspace/environments.ts';

export interface EnvironmentCatalogue {
  readonly worlds: ReadonlyMap<string, () => Promise<AnyEnvironment>>;
  /** The name of the requested environment, by name or file. */
  readonly world: string | undefined;
}

/** The built-in worlds, and one of the user's own by name or file. */
export async function openCatalogue(typed: string | undefined, cwd: string): Promise<EnvironmentCatalogue> {
  const worlds = new Map(environmentNames.map((name) => [name, () => builtInEnvironment(name)]));
  if (typed === undefined) return { worlds, world: undefined };
  const chosen = await resolveEnvironment(typed, cwd);
  worlds.set(nameOf(chosen), async () => chosen);
  return { worlds, world: nameOf(chosen) };
}
