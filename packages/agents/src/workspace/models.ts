/** @file Models by name: trained here, from a server or a file, an endpoint of the configuration, or one of the user's own. */

import { basename } from 'node:path';
import { Fault, type Model } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { createModel } from '../models/index.ts';
import { isGgufPath, isReservedModel, type ModelEndpoint, setEndpoint } from '../models/kinds.ts';
import { readConfigIn, useConfig } from './config.ts';
import { endpointShape } from './config-shape.ts';
import { checkEndpoint, checkModel } from './consent.ts';
import { modelKind } from './kinds.ts';
import { findNamed } from './load.ts';
import { findNameResolver } from './name-resolvers.ts';
import type { Trust } from './trust.ts';

/** A model, an endpoint as data, or the name of a built-in kind. */
export type ModelSource = Model | ModelEndpoint | string;

/** Parses the contents of a file or the export of a program; undefined if it is not a model. */
export function readModel(value: unknown, where: string): ModelSource | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { id, complete, url } = value as Readonly<Record<string, unknown>>;
  if (typeof id === 'string' && typeof complete === 'function') return value as Model;
  return url === undefined ? undefined : readAs(endpointShape, value, { where, called: 'the endpoint' });
}

/** Whether the name is a file name. Most model names contain a slash. */
export function isFileModel(name: string): boolean {
  return (
    !/^[a-z]{2,}:/i.test(name) && !isGgufPath(name) && (/^(?:[a-z]:|\.{0,2})[\\/]/i.test(name) || /\.([cm]?[jt]s|json)(#|$)/.test(name))
  );
}

/**
 * A model by name: local/RUN@best, mine (of the configuration), ./mine.ts, ./endpoint.json, openai/…, http://… `create` creates models that
 * have an address.
 */
export async function findModel(
  name: string,
  cwd: string,
  trust: Trust,
  create: (name: string) => Promise<Model> = createModel,
): Promise<Model> {
  const resolver = await findNameResolver<Model>(modelKind.name, name, cwd);
  if (resolver !== null) return resolver.resolve(name, { cwd, trust });
  const config = await useConfig(cwd);
  const kind = config.kinds?.['models'] ?? {};
  const isConfigured = Object.hasOwn(kind, name);
  if (!isConfigured && !isFileModel(name)) {
    checkModel(name, trust, { cwd, env: process.env });
    return create(name);
  }
  const modelSource = await findNamed(modelKind, name, cwd, trust);
  if (modelSource === undefined || typeof modelSource === 'string') return create(name);
  if ('complete' in modelSource) return modelSource;
  const called = basename(kind[name] ?? name).replace(linear(/\.\w+(#.*)?$/), '');
  if (isReservedModel(called)) throw new Fault('input', `${name} has the name of a model kind. Rename the file.`);
  if (!isConfigured) checkEndpoint(name, modelSource, trust, { cwd, env: process.env });
  setEndpoint(called, modelSource);
  return create(called);
}

/** The configuration's default model, if any. */
export async function readDefaultModel(cwd: string): Promise<string | undefined> {
  return (await readConfigIn(cwd)).model;
}
