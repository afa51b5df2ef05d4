/** @file Parameters that accept an object in memory, plain data, or a name, and the context in which names are looked up. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type AgentFactory, readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { nameObject } from '@ludus-agents/agents/internal/workspace/objects';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Agent, AgentSpec, AnyEnvironment, Json, Model, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { trustInProcess } from '@ludus-agents/store/internal/folder-trust';
import { inFolder, type WorkingFolder, withExistingStore, withWritableStore } from '@ludus-agents/store/internal/stores';
import '@ludus-agents/servers/internal/kinds';

/** An object, or its name: a built-in name, a file, or a package. */
export type Ref<T> = T | string;

/** An agent in memory, a function that makes one for a seat, a spec as plain data, or a name. */
export type AgentRef = Ref<Agent | AgentFactory | AgentSpec>;

/** The options of all functions. */
export interface CallOptions {
  /** The folder in which files and names are looked up; by default, the working folder of the process. */
  readonly cwd?: string | undefined;
  /** Stops the work. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of functions that use stored episodes. */
export interface StoreCallOptions extends CallOptions {
  /** A store, its file, or its address; the store of the folder by default. */
  readonly store?: Ref<Store> | undefined;
  /** Do not change the store. */
  readonly readOnly?: boolean | undefined;
}

/** The context of a call: the folder, its variables, standard input, and the trust in names. A terminal is one. */
export interface CallPlace extends WorkingFolder {
  readonly trust: Trust;
  readonly stdin: Readable;
}

/** The context of a program: it has selected the folder, so names are trusted like those on a command line. */
export function placeOf({ cwd = process.cwd() }: CallOptions): CallPlace {
  return { cwd, env: process.env, stdin: process.stdin, trust: programTrust(cwd) };
}

/** The trust in names passed by a program. The program has selected the folder, so the configuration there counts, too. */
export function programTrust(cwd: string): Trust {
  trustInProcess(cwd);
  return Trust.commandLine;
}

/** Uses a store that must exist. */
export function readStore<T>({ store, readOnly }: StoreCallOptions, place: CallPlace, use: (store: Store) => Promise<T>): Promise<T> {
  return typeof store === 'object' ? use(inFolder(store, place.cwd)) : withExistingStore(place, storeNamed(store, readOnly), use);
}

/** Uses a store, and creates it if needed. */
export function changeStore<T>({ store, readOnly }: StoreCallOptions, place: CallPlace, use: (store: Store) => Promise<T>): Promise<T> {
  return typeof store === 'object' ? use(inFolder(store, place.cwd)) : withWritableStore(place, storeNamed(store, readOnly), use);
}

function storeNamed(store: string | undefined, readOnly: boolean | undefined) {
  return { ...(store !== undefined && { store }), ...(readOnly !== undefined && { readOnly }) };
}

/** An agent in the form of plans and suites: a name or a spec. */
export function specOf(agent: AgentRef): string | AgentSpec {
  if (typeof agent === 'string') return agent;
  if (typeof agent === 'function') return { name: agent.name || 'agent', kind: nameObject(agent, agent.name || 'agent') };
  return 'act' in agent ? { name: agent.name, kind: nameObject(agent, agent.name) } : agent;
}

/** An agent as a spec. */
export async function findSpec(agent: AgentRef, { cwd, trust }: CallPlace): Promise<AgentSpec> {
  const spec = specOf(agent);
  return typeof spec === 'string' ? readSpec(spec, cwd, trust) : spec;
}

/** The name of an environment, which may exist only in memory. */
export function environmentName(environment: Ref<AnyEnvironment>): string {
  return typeof environment === 'string' ? environment : nameObject(environment, nameOf(environment));
}

export function findEnvironment(environment: Ref<AnyEnvironment>, { cwd, trust }: CallPlace): Promise<AnyEnvironment> {
  return resolveEnvironment(environmentName(environment), cwd, trust);
}

export async function findModel(model: Ref<Model>, { cwd, trust }: CallPlace): Promise<Model> {
  return typeof model === 'string' ? loadModel(model, cwd, trust) : model;
}

export async function findPersona(persona: Ref<Persona>, place: CallPlace): Promise<Persona> {
  return typeof persona === 'string' ? (await resolvePersona(persona, place)).persona : persona;
}

/** The text of a file, or of standard input for "-". Errors refer to it as `what`. */
export async function readText(file: string, { cwd, stdin }: Pick<CallPlace, 'cwd' | 'stdin'>, what = 'The file'): Promise<string> {
  if (file === '-') return text(stdin);
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${what} ${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

/** A document, or its file. */
export async function findDocument(document: Ref<Json>, place: CallPlace, what: string): Promise<Json> {
  if (typeof document !== 'string') return document;
  return jsonFrom(await readText(document, place, what), `${what} ${document === '-' ? 'from standard input' : document}`);
}

/** A seat in the environment's spelling; case is ignored. By default, the first seat. */
export function findSeat(environment: Ref<AnyEnvironment>, seats: readonly Seat[], seat: Seat | undefined): Seat {
  const match = seats.find((other) => other === (seat ?? seats[0])) ?? seats.find((other) => other.toLowerCase() === seat?.toLowerCase());
  if (match !== undefined) return match;
  throw new Fault(
    'input',
    `${typeof environment === 'string' ? environment : nameOf(environment)} has no seat "${seat}"; its seats are ${seats.join(', ')}.${didYouMean(seat ?? '', seats)}`,
    {
      code: 'E_UNKNOWN_SEAT',
      details: { seat: seat ?? '', seats: [...seats] },
    },
  );
}
