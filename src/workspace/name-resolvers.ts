/**
 * @file Names of a form of their own: "local/RUN@best" is what a run has learned, "advice:kuhn-poker" a game about another one, "critic=RUN" a scorer. The part
 * of Ludus that makes such things adds a resolver to their kind; the code that looks names up does not know which resolvers there are.
 */

import type { Agent, AnyEnvironment } from '../core/index.ts';
import type { CodeSource } from './consent.ts';

/** Where a name is read, and who names it: a resolver that loads files decides by `source` whether it may. */
export interface NamingPlace {
  readonly cwd: string;
  readonly source: CodeSource;
}

export interface NameResolver<T> {
  /** Whether the name has the form that this resolver reads; the folder is for names that mean a file of it. */
  matches(name: string, cwd: string): boolean | Promise<boolean>;
  resolve(name: string, place: NamingPlace): Promise<T>;
}

/** What a name of the kind "agents" resolves to: the agent for an environment. */
export type AgentForEnvironment = (environment: AnyEnvironment) => Promise<Agent>;

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
