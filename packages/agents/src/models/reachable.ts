/** @file Which models are available here, each with one line that says so or explains why not. */

import { charged, type Prompt, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { optionalPackagePath } from '../runtimes/optional-package.ts';
import { installCommand } from '../runtimes/runtimes.ts';
import { aiProviders } from './ai-sdk.ts';
import { dialectPlaces } from './dialects/index.ts';
import { ggufFiles } from './gguf-files.ts';
import { type Endpoint, openai, parseModelName, places } from './kinds.ts';
import type { EnvVars } from './local.ts';
import { listOffered } from './openai.ts';
import { costOf, free, kindPrice, type Price, priced, priceOf } from './priced.ts';
import { prices } from './prices.ts';

export interface Reach {
  readonly name: string;
  readonly ready: boolean;
  readonly about: string;
  /** Dollars per million tokens; null if unknown, absent if the name covers many models. */
  readonly price?: Price | null;
  /** Tokens of prompt and answer together, if known without a call. */
  readonly context?: number;
  /** The step that makes it available. */
  readonly next?: string;
  /** Models that a server offers; each name replaces the dots. */
  readonly models?: readonly string[];
}

export interface ReachOptions {
  readonly env?: EnvVars;
  /** The working folder, whose GGUF files are listed too. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** The time limit for each reply, in seconds. */
  readonly seconds?: number;
}

/** Servers that users commonly run on their own machine, at their default ports: vLLM, llama.cpp or MLX, SGLang, Jan. */
const neighbours = ['http://localhost:8000/v1', 'http://localhost:8080/v1', 'http://localhost:30000/v1', 'http://localhost:1337/v1'];

/** The command that starts each place. */
const starts: Readonly<Record<string, string>> = {
  ollama: 'install Ollama and run "ollama pull qwen3:0.6b"; then name ollama/qwen3:0.6b',
  lmstudio: 'start the server in LM Studio and load a model',
  openai: 'set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key',
};

/** With names, sends each model one short question. Without names, lists the models that servers offer, which costs nothing. */
export async function reachable(names?: readonly string[], options: ReachOptions = {}): Promise<Reach[]> {
  if (names !== undefined) return Promise.all(names.map((name) => testModel(name, options)));
  const { env = process.env, cwd } = options;
  const servers = Object.entries(places).map(([kind, at]) => [`${kind}/…`, at(env)] as const);
  // A server found at a default port is not sent a key.
  const around = neighbours.map((baseURL) => [`${baseURL}#…`, { baseURL }] as const);
  return Promise.all([
    Promise.resolve<Reach>({ name: 'fake', ready: true, about: 'answers at random; always ready, offline', price: free }),
    ...[...servers, ...around].map(([name, place]) => surveyEndpoint(name, place, options)),
    ...Object.entries(dialectPlaces).map(([kind, { keys, baseFrom }]) => keyedReach(kind, keys, { env, baseFrom })),
    ...Object.keys(aiProviders).map((provider) => providerReach(provider, env)),
    ggufReach(),
  ]).then(async (matches) => [...matches, ...(await files(env, cwd))]);
}

const question: Prompt = { messages: [{ role: 'user', content: 'Answer with the one word: yes' }] };

async function testModel(name: string, { env = process.env, signal, seconds = 30 }: ReachOptions): Promise<Reach> {
  try {
    const { kind, rest } = parseModelName(name);
    const price = priceOf(name, prices) ?? kindPrice(kind);
    const model = charged(priced(await kind.make(rest, { env, seconds }), price));
    const began = performance.now();
    const { text, usage } = await model.complete(question, { maxTokens: 16 }, signal ?? new AbortController().signal);
    const cost = costOf(usage, price);
    const spokenText = text.replace(/\s+/g, ' ').trim().slice(0, 40);
    const rewardText = cost === null ? 'at an unknown price' : cost === 0 ? 'for free' : `for $${cost.toFixed(6)}`;
    return { name, ready: true, about: `answered "${spokenText}" in ${Math.round(performance.now() - began)} ms ${rewardText}`, price };
  } catch (thrown) {
    return { name, ready: false, about: sentenceOf(thrown) };
  }
}

async function surveyEndpoint(name: string, place: Endpoint, { env = process.env, signal, seconds = 3 }: ReachOptions): Promise<Reach> {
  if (place.baseURL === openai && (env['OPENAI_API_KEY'] ?? '') === '')
    return { name, ready: false, about: 'no key in OPENAI_API_KEY', next: starts['openai']! };
  try {
    const models = await listOffered({ ...place, env, seconds }, signal ?? new AbortController().signal);
    const text = models.slice(0, 3).join(', ');
    return {
      name,
      ready: models.length > 0,
      about: models.length === 0 ? 'reachable, but offers no models' : `${models.length} offered, e.g. ${text}`,
      ...(models.length > 0 && { models: models.slice(0, 500) }),
      ...(models.length === 0 && { next: starts[name.split('/')[0]!] ?? 'load a model on the server' }),
    };
  } catch (thrown) {
    const next = starts[name.split('/')[0]!];
    return { name, ready: false, about: sentenceOf(thrown), ...(next === undefined ? {} : { next }) };
  }
}

/** Hosted models with a supported dialect: they only need a key. */
async function keyedReach(
  kind: string,
  keys: readonly string[],
  { env, baseFrom }: { readonly env: EnvVars; readonly baseFrom: string },
): Promise<Reach> {
  const match = [...keys, baseFrom].find((name) => (env[name] ?? '') !== '');
  return {
    name: `${kind}/…`,
    ready: match !== undefined,
    about: match === undefined ? `no key in ${keys.join(' or ')}` : `${match} is set`,
    ...(match === undefined ? { next: `ludus config keys set ${keys[0]} < key.txt` } : {}),
  };
}

async function providerReach(provider: string, env: EnvVars): Promise<Reach> {
  const { package: name, keyFrom } = aiProviders[provider]!;
  const missing = [
    ...(optionalPackagePath(name) === null ? [`the package ${name} is not installed`] : []),
    ...((env[keyFrom] ?? '') === '' ? [`no key in ${keyFrom}`] : []),
  ];
  const about = missing.length === 0 ? `${name} is installed and ${keyFrom} is set` : missing.join(', ');
  return { name: `${provider}/…`, ready: missing.length === 0, about };
}

async function ggufReach(): Promise<Reach> {
  const ready = optionalPackagePath('node-llama-cpp') !== null;
  return {
    name: 'gguf:…',
    ready,
    about: ready ? 'node-llama-cpp is installed' : 'the package node-llama-cpp is not installed',
    price: free,
    ...(ready ? {} : { next: `run "${installCommand('node-llama-cpp')}"` }),
  };
}

/** GGUF files in the default folders and the working folder, each with the path that names it. */
async function files(env: EnvVars, cwd: string | undefined): Promise<Reach[]> {
  const ready = optionalPackagePath('node-llama-cpp') !== null;
  return (await ggufFiles(env, cwd)).map(({ path, bytes, context, adapterFor }) => {
    const size =
      adapterFor === undefined
        ? `${(bytes / 1e9).toFixed(1)} GB`
        : `an adapter of ${(bytes / 1e6).toFixed(1)} MB for a model of the family ${adapterFor}`;
    return {
      name: adapterFor === undefined ? path : `gguf:BASE.gguf+${path}`,
      ready,
      about: `${size}${context === undefined ? '' : `, trained for ${context} tokens`}${ready ? '' : '; needs node-llama-cpp'}`,
      price: free,
      ...(context === undefined ? {} : { context }),
    };
  });
}
