/**
 * @file Every kind of model, one line each, loaded when it is named; and the parser of names: KIND/REST, KIND:REST, or an address with
 * #MODEL.
 */

import { Fault, type Model, type ModelPrice, type Prompt, type Rng, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { aiModel, aiProviders } from './ai-sdk.ts';
import { dialectPlaces } from './dialects/index.ts';
import type { Bounds } from './http.ts';
import { isHubName } from './hub.ts';
import { keyRefusal, keyVariableFor } from './key-origins.ts';
import { type EnvVars, findGguf, pulledModel } from './local.ts';
import { listOffered, openaiModel } from './openai.ts';
import { usualSetting } from './usual-settings.ts';

/** The options for creating a model. */
export interface Making extends Bounds {
  readonly env: EnvVars;
  readonly warn?: ((sentence: string) => void) | undefined;
  /** Threads of an in-process model: by LUDUS_THREADS, or the number of idle cores. */
  readonly threads?: number | undefined;
  readonly onProgress?: ((bytes: number, of: number | null) => void) | undefined;
}

export interface ModelKind {
  readonly about: string;
  /** An example of the text after the kind, for the message that requests it. */
  readonly example?: string;
  /** Whether calls are free because the model runs on this machine. */
  readonly free?: boolean;
  /** The price of its models, unless the user's prices contain one. */
  readonly price?: ModelPrice;
  /** Default settings of calls. */
  readonly sampling?: Sampling;
  /** The kind whose prices these models have. */
  readonly pricedAs?: string;
  make(rest: string, making: Making): Promise<Model>;
}

/** The address of a server and the variable of its key. */
export interface Endpoint {
  readonly baseURL: string;
  readonly keyFrom?: string | ((env: EnvVars) => string | undefined);
}

export const openai = 'https://api.openai.com/v1';

/** Servers known by a word, with their default address unless the environment overrides it. */
export const places: Readonly<Record<string, (env: EnvVars) => Endpoint>> = {
  openai: (env) => ({ baseURL: env['OPENAI_BASE_URL'] || openai, keyFrom: 'OPENAI_API_KEY' }),
  ollama: (env) => ({ baseURL: `${hostOf(env['OLLAMA_HOST'] || 'localhost:11434')}/v1` }),
  lmstudio: (env) => ({ baseURL: env['LMSTUDIO_BASE_URL'] || 'http://localhost:1234/v1' }),
};

/** Small enough to download without confirmation, and good enough for a conversation. */
const embedded = 'qwen3-0.6b';

/** Models of servers with their own dialect. */
const dialectKinds: Readonly<Record<string, ModelKind>> = Object.fromEntries(
  Object.entries(dialectPlaces).map(([kind, { about, example, keys, baseFrom, base, pricedAs, load }]): [string, ModelKind] => [
    kind,
    {
      about: `${about}, or the server at ${baseFrom}; the key is read from ${keys.join(' or ')}`,
      example,
      ...(pricedAs === undefined ? {} : { pricedAs }),
      async make(model, making) {
        const { env } = making;
        const keyFrom = keys.find((key) => (env[key] ?? '') !== '') ?? keys[0]!;
        if ((env[keyFrom] ?? '') === '' && (env[baseFrom] ?? '') === '')
          throw new Fault('input', `Models named ${kind}/… need an API key. Set ${keyFrom}.`);
        const [{ dialectModel }, dialect] = await Promise.all([import('./dialects/dialect.ts'), load()]);
        const context = usualSetting('context', env);
        const baseURL = env[baseFrom] || base;
        return dialectModel({ ...boundsOf(making), id: `${kind}/${model}`, dialect, baseURL, model, keyFrom, env, context });
      },
    },
  ]),
);

export const kinds: Readonly<Record<string, ModelKind>> = {
  fake: {
    about: 'answers with a random move from the prompt, or always TEXT as fake/TEXT; offline and free',
    free: true,
    make: async (rest) =>
      (await import('./fake.ts')).fakeModel({
        id: rest === '' ? 'fake' : `fake/${rest}`,
        answers: rest === '' ? anyMove : [rest],
        scores: (texts) => texts.map((text) => (rest === '' ? -Math.log(texts.length) : text === rest ? 0 : -Infinity)),
      }),
  },
  openai: {
    about: 'OpenAI, or the server at OPENAI_BASE_URL; the key is read from OPENAI_API_KEY',
    example: 'gpt-5.4-mini',
    make: async (rest, making) => atPlace('openai', rest, making),
  },
  ollama: {
    about: 'a model of Ollama on this machine, or at OLLAMA_HOST',
    example: 'qwen3:0.6b',
    free: true,
    make: async (rest, making) => atPlace('ollama', rest, making),
  },
  lmstudio: {
    about: 'a model of LM Studio on this machine, or at LMSTUDIO_BASE_URL',
    example: 'qwen3-0.6b',
    free: true,
    make: async (rest, making) => atPlace('lmstudio', rest, making),
  },
  gguf: {
    about:
      'a GGUF file inside this process: PATH.gguf, gguf:PATH, a short name such as gguf:qwen3-0.6b, or BASE.gguf+ADAPTER.gguf; needs node-llama-cpp',
    example: 'qwen2.5-0.5b',
    free: true,
    make: gguf,
  },
  local: {
    about: `the default model: the last one downloaded by "ludus models pull", or gguf:${embedded}, downloaded at first use`,
    free: true,
    make: (_, making) => gguf((pulledModel(making.env) ?? embedded).replace(/^gguf:/, ''), making),
  },
  tinker: {
    about:
      'a model of a Tinker server by its address, such as ludus-gpu: its base, or weights saved there; the key is read from TINKER_API_KEY',
    example: 'http://127.0.0.1:8000#NAME',
    make: async (rest, { env, seconds }) => {
      const [url = '', model] = rest.split('#', 2);
      const { tinkerModel } = await import('./tinker/sampler.ts');
      return tinkerModel({ id: `tinker:${rest}`, url, model, env, ...(seconds === undefined ? {} : { seconds }) });
    },
  },
  ...dialectKinds,
  ...Object.fromEntries(
    Object.entries(aiProviders).map(([provider, { package: name, keyFrom }]): [string, ModelKind] => [
      provider,
      {
        about: `through the package ${name}; the key is read from ${keyFrom}`,
        example: 'MODEL',
        make: (rest) => aiModel(provider, rest),
      },
    ]),
  ),
};

const addresses: ModelKind = {
  about: 'any OpenAI-compatible server by its address',
  async make(address, making) {
    const hash = address.indexOf('#');
    const baseURL = hash < 0 ? address : address.slice(0, hash);
    // The variable is read at every call, so a key set later is used.
    const context = usualSetting('context', making.env);
    const place = { ...boundsOf(making), context, baseURL, keyFrom: (env: EnvVars) => keyVariableFor(baseURL, env) };
    const model = hash < 0 ? await onlyModel(place) : address.slice(hash + 1);
    return openaiModel({ ...place, model });
  },
};

/** A server named by the user. */
export type ModelEndpoint = {
  /** Its address, like http://localhost:8000/v1. */
  readonly url: string;
  /** The model there; a server with only one needs no name. */
  readonly model?: string;
  /** The variable that holds its key. */
  readonly key?: string;
  /** Tokens of prompt and answer together, if the server does not report them. */
  readonly context?: number;
  /** Default settings of calls. */
  readonly sampling?: Pick<Sampling, 'maxTokens' | 'temperature' | 'topP' | 'stop' | 'seed'>;
  /** US dollars per million tokens, for input and output; unknown if not set. */
  readonly price?: ModelPrice;
  /** The server's revision. Stored results are reused while it is unchanged; without it, calls are always repeated. */
  readonly version?: string;
};

/** Endpoints of this process, global like environment variables. */
let endpoints: Readonly<Record<string, ModelEndpoint>> = {};
/** Endpoints from sources other than the configuration; reading the configuration does not remove them. */
let savedEndpoints: Readonly<Record<string, ModelEndpoint>> = {};

export function setEndpoints(table: Readonly<Record<string, ModelEndpoint>>): void {
  endpoints = { ...savedEndpoints, ...table };
}

export function setSavedEndpoints(table: Readonly<Record<string, ModelEndpoint>>): void {
  savedEndpoints = table;
  endpoints = { ...endpoints, ...table };
}

export function setEndpoint(name: string, endpoint: ModelEndpoint): void {
  endpoints = { ...endpoints, [name]: endpoint };
}

/** The names of all endpoints, each with one line. */
export function endpointLines(): readonly { readonly kind: string; readonly about: string }[] {
  return Object.entries(endpoints).map(([kind, { url, model }]) => ({
    kind,
    about: `${model ?? 'the only model'} at ${url}, by the configuration`,
  }));
}

/** Whether the name is reserved for a kind of model. */
export function isReservedModel(name: string): boolean {
  return Object.hasOwn(kinds, name);
}

/** A model of an endpoint: the endpoint's own, unless NAME/MODEL names another. */
function endpointKind(name: string, { url, model, key, sampling, context, price }: ModelEndpoint): ModelKind {
  return {
    about: `${model ?? 'the only model'} at ${url}`,
    ...(sampling === undefined ? {} : { sampling }),
    ...(price === undefined ? {} : { price }),
    async make(rest, making) {
      const refusal = key === undefined ? null : keyRefusal(key, url, making.env);
      if (refusal !== null) throw new Fault('input', `The endpoint "${name}" may not use its key: ${refusal}`);
      const place = { ...boundsOf(making), baseURL: url, keyFrom: key ?? ((env: EnvVars) => keyVariableFor(url, env)) };
      if (key !== undefined && (making.env[key] ?? '') === '')
        throw new Fault('input', `The endpoint "${name}" needs a key in the environment variable ${key}, which is not set.`);
      const meant = rest === '' ? (model ?? (await onlyModel(place))) : rest;
      return openaiModel({ ...place, context: context ?? usualSetting('context', making.env), id: `${name}/${meant}`, model: meant });
    },
  };
}

export interface ModelAddress {
  /** The unit that shares limits: the kind, or the address without its model. */
  readonly place: string;
  readonly kind: ModelKind;
  readonly rest: string;
}

/** Parses a name. */
export function parseModelName(name: string): ModelAddress {
  if (/^https?:\/\//i.test(name)) return { place: name.split('#')[0]!, kind: addresses, rest: name };
  if (isGgufPath(name) || isHubName(name)) return { place: 'gguf', kind: kinds['gguf']!, rest: name };
  const cut = name.search(/[/:]/);
  const place = cut < 0 ? name : name.slice(0, cut);
  const modelKind = Object.hasOwn(endpoints, place) ? endpointKind(place, endpoints[place]!) : undefined;
  const kind = Object.hasOwn(kinds, place) ? kinds[place]! : modelKind;
  if (place === 'llm' && cut > 0)
    throw new Fault(
      'input',
      `"${name}" names an agent that is played by a model. Where a model is expected, use "${name.slice(cut + 1)}".`,
      {
        code: 'E_UNKNOWN_NAME',
        details: { kind: 'models', name },
      },
    );
  if (kind === undefined) {
    const places = [...Object.keys(kinds), ...Object.keys(endpoints)];
    throw new Fault(
      'input',
      `Unknown model "${name}". Use PROVIDER/MODEL (providers: ${places.join(', ')}) or a URL such as http://localhost:8000/v1#MODEL.${didYouMean(place, places)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  }
  const rest = cut < 0 ? '' : name.slice(cut + 1);
  if (rest === '' && kind.example !== undefined)
    throw new Fault(
      'input',
      `"${name}" does not name a model. Use, for example, ${place}${place === 'gguf' || place === 'tinker' ? ':' : '/'}${kind.example}.`,
    );
  return { place, kind, rest };
}

/** Whether the name of a hosted model contains its revision: a date or a digest, like gpt-4o-2024-08-06 and model@sha256:…. */
export function pinnedRevision(name: string): boolean {
  return linear(/(?:^|[-_@:.])20\d{2}-?[01]\d-?[0-3]\d(?:$|[^\d])|[@#]sha256[:=][0-9a-f]{8,}|@[0-9a-f]{7,64}$/i).test(name);
}

/** A path of a GGUF file needs no prefix. */
export function isGgufPath(name: string): boolean {
  return /\.gguf(?:#sha256=\w{1,64})?$/i.test(name) && !name.startsWith('gguf:') && !/^[a-z]+:\/\//i.test(name);
}

async function gguf(rest: string, { env, threads = usualSetting('threads', env), onProgress }: Making): Promise<Model> {
  const [{ ggufModel }, { llamaLibrary }] = await Promise.all([import('./gguf.ts'), import('./gguf-load.ts')]);
  // Checks the package first, so that no model is downloaded that cannot be run.
  const library = await llamaLibrary();
  const [base = rest, ...more] = rest.split(/(?<=\.gguf(?:#sha256=\w{1,64})?)\+/i);
  const path = await findGguf(base, { env, onProgress });
  const adapters = await Promise.all(more.map((item) => findGguf(item, { env, onProgress })));
  const [contextSize, gpuLayers, sequences] = [
    usualSetting('context', env),
    usualSetting('gpuLayers', env),
    usualSetting('sequences', env),
  ];
  return ggufModel({
    id: `gguf:${rest}`,
    path,
    library,
    ...(adapters.length === 0 ? {} : { adapters }),
    ...(sequences === undefined ? {} : { sequences }),
    ...(threads === undefined ? {} : { threads }),
    ...(contextSize === undefined ? {} : { contextSize }),
    ...(gpuLayers === undefined ? {} : { gpuLayers }),
  });
}

function atPlace(kind: string, model: string, making: Making): Model {
  const place = places[kind]!(making.env);
  if (kind === 'openai' && place.baseURL === openai && (making.env['OPENAI_API_KEY'] ?? '') === '')
    throw new Fault(
      'input',
      'Models named openai/… need an API key in OPENAI_API_KEY, or in OPENAI_BASE_URL the address of a server that needs no key.',
    );
  const serverSoftware =
    place.baseURL === openai ? { software: 'openai' as const } : kind === 'openai' ? {} : { software: kind as 'ollama' | 'lmstudio' };
  return openaiModel({
    ...boundsOf(making),
    ...place,
    ...serverSoftware,
    context: usualSetting('context', making.env),
    id: `${kind}/${model}`,
    model,
  });
}

function boundsOf({ env, warn, seconds, idleSeconds, mostBytes }: Making) {
  return {
    env,
    ...(warn === undefined ? {} : { warn }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(idleSeconds === undefined ? {} : { idleSeconds }),
    ...(mostBytes === undefined ? {} : { mostBytes }),
  };
}

/** If a server has only one model, it need not be named. */
async function onlyModel(place: Endpoint & { readonly env: EnvVars }): Promise<string> {
  const models = await listOffered({ seconds: 10, ...place }, new AbortController().signal);
  if (models.length === 1) return models[0]!;
  if (models.length === 0)
    throw new Fault('input', `${place.baseURL} offers no models. Load one on that server, then run this command again.`);
  const text = models.slice(0, 5).join(', ');
  throw new Fault('input', `${place.baseURL} offers ${models.length} models (${text}). Use one of them as ${place.baseURL}#MODEL.`);
}

/** OLLAMA_HOST may be a host, a host with a port, or an address. */
function hostOf(written: string): string {
  const address = /^https?:\/\//.test(written) ? written : `http://${written}`;
  return address.replace('//0.0.0.0', '//127.0.0.1').replace(linear(/\/+$/), '');
}

/** A random bracketed move from the latest message that contains any. */
function anyMove(prompt: Prompt, dice: Rng): string {
  for (const message of prompt.messages.toReversed()) {
    const moves = message.content.match(/\[[^[\]\n]+\]/g);
    if (moves !== null) return dice.pick(moves);
  }
  // Stands in for a model in conversations: generic lines that cannot be mistaken for real answers.
  return dice.pick(['Go on.', 'I am listening.', 'Tell me more.']);
}
