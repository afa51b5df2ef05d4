/** @file The playbill: what is played at this house, every built-in world and one of the user's own. */

import { worldOf } from '../company/worlds.ts';
import { type AnyEnvironment, nameOf } from '../core/index.ts';
import { environment, environmentNames } from '../environments/index.ts';

export interface Playbill {
  readonly worlds: ReadonlyMap<string, () => Promise<AnyEnvironment>>;
  /** The name of the world that was asked for, by name or file. */
  readonly world: string | undefined;
}

export async function playbill(typed: string | undefined, cwd: string): Promise<Playbill> {
  const worlds = new Map(environmentNames.map((name) => [name, () => environment(name)]));
  if (typed === undefined) return { worlds, world: undefined };
  const chosen = await worldOf(typed, cwd);
  worlds.set(nameOf(chosen), async () => chosen);
  return { worlds, world: nameOf(chosen) };
}
