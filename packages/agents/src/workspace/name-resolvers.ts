/**
 * @file Names of their own form: "local/RUN@best" is what a run has learned, "advice:kuhn-poker" a game about another one, "critic=RUN" a scorer. The part
 * of Ludus that makes such things adds a resolver to their kind; the code that looks names up does not know which resolvers there are.
 */

import type { Agent, AnyEnvironment, Json } from '@ludus-agents/kernel/internal/core/index';
import type { Trust } from './trust.ts';

/** The folder that names are relative to, and their origin: what loads files decides by `trust` whether it may. */
export interface NamingPlace {
  readonly cwd: string;
  readonly trust: Trust;
}

/** What decides how a named thing behaves, for its fingerprint: the digest of its weights, and the names of what it is made from. */
export interface NameContents {
  readonly weights?: Json;
  /** A file that decides besides. */
  readonly file?: string;
  /** A file or a folder that tasks are read from: the task of each episode has what was in it then. */
  readonly tasks?: string;
  readonly environment?: string;
  readonly model?: string;
}

export interface NameResolver<T> {
  /** Whether the name has the form that this resolver reads; the folder is for names that mean a file of it. */
  matches(name: string, cwd: string): boolean | Promise<boolean>;
  resolve(name: string, place: NamingPlace): Promise<T>;
  contents?(name: string, cwd: string): NameContents | Promise<NameContents>;
}

/** What a name of the kind "agents" resolves to: the agent for a seat of an environment, or for a member of a team on that seat. */
export type AgentForEnvironment = (environment: AnyEnvironment, as?: 'member') => Promise<Agent>;

const resolvers = new Map<string, NameResolver<unknown>[]>();

/** Adds a form of names to a kind. */
export function addNameResolver<T>(kind: string, resolver: NameResolver<T>): void {
  resolvers.set(kind, [...(resolvers.get(kind) ?? []), resolver]);
}

/** The resolver of a kind that reads this name, or null where it is an ordinary name. */
export async function findNameResolver<T>(kind: string, name: string, cwd: string): Promise<NameResolver<T> | null> {
  for (const resolver of (resolvers.get(kind) ?? []) as readonly NameResolver<T>[]) if (await resolver.matches(name, cwd)) return resolver;
  return null;
}
