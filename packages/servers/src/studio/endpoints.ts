/**
 * @file Model servers named on the page: stored in .ludus/endpoints.json, and called as NAME/MODEL.
 *
 * Keys are not in that file: each is stored by its origin and sent only there.
 */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { reachable } from '@ludus-agents/agents/internal/models/index';
import { keyVariableFor, originOf } from '@ludus-agents/agents/internal/models/key-origins';
import { isReservedModel, type ModelEndpoint, setSavedEndpoints } from '@ludus-agents/agents/internal/models/kinds';
import { listOffered } from '@ludus-agents/agents/internal/models/openai';
import { endpointShape } from '@ludus-agents/agents/internal/workspace/config-shape';
import { saveKey } from '@ludus-agents/agents/internal/workspace/keys';
import { Fault, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { readAs, record } from '@ludus-agents/kernel/internal/core/shape';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { EndpointRequest, ReachShown } from './api.ts';
import { trainedRuns } from './seatable.ts';

type Endpoints = Readonly<Record<string, ModelEndpoint>>;

function fileIn(cwd: string): string {
  return resolve(cwd, '.ludus', 'endpoints.json');
}

function endpointsIn(cwd: string): Endpoints {
  const file = fileIn(cwd);
  if (!existsSync(file)) return {};
  return readAs(record(endpointShape), jsonFrom(readFileSync(file, 'utf8'), file), { where: file, called: 'the endpoints' });
}

/** Registers their names for later model calls. */
export function useEndpoints({ cwd, env }: WorkingFolder): void {
  const table: Record<string, ModelEndpoint> = {};
  for (const [name, endpoint] of Object.entries(endpointsIn(cwd))) {
    // The stored key for its origin, if any.
    const key = keyVariableFor(endpoint.url, env);
    table[name] = key === undefined ? endpoint : { ...endpoint, key };
  }
  setSavedEndpoints(table);
}

export function saveEndpoint(place: WorkingFolder, name: string, { url, key, model, temperature, topP, price }: EndpointRequest): void {
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name) || isReservedModel(name))
    throw new Fault(
      'input',
      `Invalid endpoint name "${name.slice(0, 60)}". Use lowercase letters, digits, and hyphens, and not the name of a model kind.`,
    );
  const origin = originOf(url);
  if (origin === null)
    throw new Fault('input', `An endpoint needs an address such as http://localhost:8000/v1, but got "${url.slice(0, 80)}".`);
  if (key !== undefined) saveKey(place, origin, key.trim());
  const sampling = { ...(temperature === undefined ? {} : { temperature }), ...(topP === undefined ? {} : { topP }) };
  const modelEndpoint: ModelEndpoint = {
    url,
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
    ...(price === undefined ? {} : { price }),
  };
  write(place.cwd, { ...endpointsIn(place.cwd), [name]: modelEndpoint });
}

export function forgetEndpoint(place: WorkingFolder, name: string): void {
  const { [name]: _, ...others } = endpointsIn(place.cwd);
  write(place.cwd, others);
}

function write(cwd: string, endpoints: Endpoints): void {
  mkdirSync(dirname(fileIn(cwd)), { recursive: true });
  writeFileAtomicSync(fileIn(cwd), `${JSON.stringify(endpoints, null, 2)}\n`);
}

/** All available models: named endpoints first, then models trained in this folder, then local servers. */
export async function reachFrom(place: WorkingFolder, store: Store, signal: AbortSignal): Promise<readonly ReachShown[]> {
  const { cwd, env } = place;
  const named = Object.entries(endpointsIn(cwd)).map(([name, endpoint]) => surveyEndpoint(name, endpoint, { env, signal }));
  const around = (await reachable(undefined, { env, cwd, signal })).map((reach): ReachShown => ({ ...reach, url: null }));
  return [...(await Promise.all(named)), ...(await listTrained(store, cwd)), ...around];
}

async function surveyEndpoint(
  name: string,
  { url, price, sampling = {} }: ModelEndpoint,
  { env, signal }: { readonly env: WorkingFolder['env']; readonly signal: AbortSignal },
): Promise<ReachShown> {
  const keyFrom = keyVariableFor(url, env);
  const common = { name: `${name}/…`, url, sampling, ...(price === undefined ? {} : { price }) };
  try {
    const models = await listOffered({ baseURL: url, env, seconds: 3, ...(keyFrom === undefined ? {} : { keyFrom }) }, signal);
    return { ...common, ready: true, about: `${models.length} offered at ${url}`, models: models.slice(0, 500) };
  } catch (thrown) {
    return { ...common, ready: false, about: sentenceOf(thrown) };
  }
}

async function listTrained(store: Store, cwd: string): Promise<readonly ReachShown[]> {
  const about = 'trained in this folder';
  return (await trainedRuns(store, cwd)).map(({ name, kept }) => ({
    name: `local/${name}@…`,
    ready: true,
    about,
    models: kept,
    url: null,
  }));
}
