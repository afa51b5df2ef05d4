/**
 * @file Names with a special form: "local/RUN@best" is a trained policy of a run, "advice:kuhn-poker" a game about another game,
 * "critic=RUN" a scorer. Each part of Ludus adds a resolver to its kind; the lookup code does not know the individual resolvers.
 */

import type { Agent, AnyEnvironment, Json } from '@ludus-agents/kernel/internal/core/index';
import type { Trust } from './trust.ts';

/** The folder that names are relative to, and their origin: file loaders use `trust` to decide whether they may load. */
export interface NamingPlace {
  readonly cwd: string;
  readonly trust: Trust;
}

/** What determines the behavior of a named thing, for its fingerprint: the digest of its weights, and the names of its parts. */
export interface NameContents {
  readonly weights?: Json;
  /** A file that also determines it. */
  readonly file?: string;
  /** The source of its tasks; each episode's task contains the contents at that time. */
  readonly tasks?: string;
  readonly environment?: string;
  readonly model?: string;
}

export interface NameResolver<T> {
  /** Whether this resolver handles the name; the folder is for names of files in it. */
  matches(name: string, cwd: string): boolean | Promise<boolean>;
  resolve(name: string, place: NamingPlace): Promise<T>;
  contents?(name: string, cwd: string): NameContents | Promise<NameContents>;
}

/** The result for a name of the kind "agents": creates the agent for a seat of an environment, or for a member of a team on that seat. */
export type AgentForEnvironment = (environment: AnyEnvironment, as?: 'member') => Promise<Agent>;

const resolvers = new Map<string, NameResolver<unknown>[]>();

/** Adds a resolver to a kind. */
export function addNameResolver<T>(kind: string, resolver: NameResolver<T>): void {
  resolvers.set(kind, [...(resolvers.get(kind) ?? []), resolver]);
}

/** The resolver of a kind for this name, or null for an ordinary name. */
export async function findNameResolver<T>(kind: string, name: string, cwd: string): Promise<NameResolver<T> | null> {
  for (const resolver of (resolvers.get(kind) ?? []) as readonly NameResolver<T>[]) if (await resolver.matches(name, cwd)) return resolver;
  return null;
}
