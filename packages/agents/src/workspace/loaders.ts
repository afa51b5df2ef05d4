/**
 * @file One loader per kind: resolves a built-in name, a name in the configuration, a file (./mine.ts, ./mine.json), or a package. Paths
 * are relative to the working folder.
 */

import type { Agent, AgentSpec, AnyEnvironment, Json, Model, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Persona } from '../personas/persona.ts';
import { resolveEnvironment } from './environments.ts';
import type { NamingPlace } from './name-resolvers.ts';
import type { Trust } from './trust.ts';

/** An environment by name, file or package. */
export function loadEnvironment(name: string, cwd: string, trust: Trust): Promise<AnyEnvironment> {
  return resolveEnvironment(name, cwd, trust);
}

/** An agent for a seat, with the models, tools and trained policies of the working folder available. */
export async function loadAgent(
  agent: AgentSpec | string,
  seat: Seat,
  environment: AnyEnvironment,
  { cwd, trust }: NamingPlace,
): Promise<Agent> {
  const { createAgentLoader } = await import('../kinds.ts');
  const { createAgentServices } = await import('./agent-services.ts');
  return createAgentLoader(createAgentServices(cwd, trust))(agent, seat, environment);
}

/** A model: local/RUN@best, an endpoint of the configuration, ./mine.ts, ./endpoint.json, openai/…, http://… */
export async function loadModel(name: string, cwd: string, trust: Trust): Promise<Model> {
  return (await import('./models.ts')).findModel(name, cwd, trust);
}

/** A population in the format of `samplePopulation`: a name, a document, or a table of people (./people.csv, ./people.parquet). */
export async function loadPopulation(name: string, cwd: string, trust: Trust): Promise<Json> {
  return (await import('./populations.ts')).findPopulation(name, cwd, trust);
}

/** A persona from the gallery, from the user's own, or from a file in any supported format. */
export async function loadPersona(name: string, cwd: string, trust: Trust): Promise<Persona> {
  const { resolvePersona } = await import('./personas.ts');
  const { Readable } = await import('node:stream');
  return (await resolvePersona(name, { cwd, stdin: Readable.from([]), trust })).persona;
}
