/**
 * @file The configuration of a working folder, ludus.config.ts or .json: default model and store, endpoints, budgets, things of the user's own.
 *
 * It is code of the user's own folder, so it is read from the working folder itself and from nowhere else. Flags and variables win over it.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, type Sampling } from '../core/index.ts';
import { jsonFrom } from '../core/outside.ts';
import { didYouMean } from '../core/suggest.ts';
import { isReservedModel, type ModelEndpoint, setEndpoints } from '../models/kinds.ts';
import { importFile } from './environments.ts';
import { kindNames } from './kinds.ts';

export interface LudusConfig {
  /** The model of agents and commands that name none: `llm`, and `ludus chat`. */
  readonly model?: string;
  /** Where episodes are kept, as --store names it. */
  readonly store?: string;
  /** Servers by a name of one's own: `mine` is used as `llm:mine`. */
  readonly endpoints?: Readonly<Record<string, ModelEndpoint>>;
  /** Hard stops for every command that takes them. */
  readonly budget?: { /** US dollars. */ readonly money?: number; readonly episodes?: number };
  /** Things of one's own, by kind and name: `{ scorers: { polite: './polite.ts' } }`. */
  readonly kinds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A configuration as it is written, with help from the editor. */
export function defineConfig(config: LudusConfig): LudusConfig {
  return config;
}

const files = ['ludus.config.ts', 'ludus.config.mts', 'ludus.config.mjs', 'ludus.config.js', 'ludus.config.json'];

/** The file of a folder's configuration, or null. */
export function findConfig(cwd: string): string | null {
  const found = files.filter((file) => existsSync(join(cwd, file)));
  if (found.length > 1) throw new Fault('input', `There are ${found.join(' and ')} in this folder; keep one of them.`);
  return found[0] ?? null;
}

const known = new Map<string, Promise<LudusConfig>>();

/** The configuration of a folder; an empty one where it has none. Read once for each version of its file. */
export async function readConfigIn(cwd: string): Promise<LudusConfig> {
  const file = findConfig(cwd);
  if (file === null) return {};
  const path = join(cwd, file);
  const key = `${path} ${statSync(path).mtimeMs}`;
  const reading = known.get(key) ?? readFile(path, file);
  known.set(key, reading);
  reading.catch(() => known.delete(key));
  return reading;
}

async function readFile(path: string, file: string): Promise<LudusConfig> {
  if (file.endsWith('.json')) return readConfig(jsonFrom(readFileSync(path, 'utf8'), file), file);
  const { default: exported } = await importFile(path);
  if (exported === undefined) throw new Fault('input', `${file} must export its settings: export default defineConfig({ … }).`);
  return readConfig(exported, file);
}

/** Makes the endpoints of a folder known to all models of this process, and gives its configuration. */
export async function useConfig(cwd: string): Promise<LudusConfig> {
  const config = await readConfigIn(cwd);
  setEndpoints(config.endpoints ?? {});
  return config;
}

/** Reads a configuration from outside: a setting that is not known is refused with the one that was probably meant. */
export function readConfig(value: unknown, file: string): LudusConfig {
  const top = objectIn(value, file, 'The configuration');
  checkNames(top, ['$schema', 'model', 'store', 'endpoints', 'budget', 'kinds'], file);
  for (const name of ['model', 'store']) if (top[name] !== undefined) textIn(top[name], file, name);
  for (const [name, endpoint] of Object.entries(objectIn(top['endpoints'] ?? {}, file, 'endpoints'))) {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw wrong(file, `endpoints.${name}`, 'a name of small letters, digits and dashes', name);
    if (isReservedModel(name)) throw new Fault('input', `${file}: "${name}" is a kind of model already; give the endpoint another name.`);
    checkEndpoint(endpoint, file, `endpoints.${name}`);
  }
  const budget = objectIn(top['budget'] ?? {}, file, 'budget');
  checkNames(budget, ['money', 'episodes'], file, 'budget.');
  if (budget['money'] !== undefined && !(typeof budget['money'] === 'number' && budget['money'] > 0 && Number.isFinite(budget['money'])))
    throw wrong(file, 'budget.money', 'a number of dollars above 0', budget['money']);
  if (budget['episodes'] !== undefined && !(Number.isSafeInteger(budget['episodes']) && (budget['episodes'] as number) > 0))
    throw wrong(file, 'budget.episodes', 'a whole number above 0', budget['episodes']);
  const kinds = objectIn(top['kinds'] ?? {}, file, 'kinds');
  checkNames(kinds, kindNames, file, 'kinds.');
  for (const [kind, own] of Object.entries(kinds))
    for (const [name, path] of Object.entries(objectIn(own, file, `kinds.${kind}`))) textIn(path, file, `kinds.${kind}.${name}`);
  return top as LudusConfig;
}

/** The parts of an endpoint, here and in a file of its own. */
export function checkEndpoint(value: unknown, file: string, where: string): ModelEndpoint {
  const endpoint = objectIn(value, file, where);
  checkNames(endpoint, ['url', 'model', 'key', 'context', 'sampling'], file, `${where}.`);
  const { url, model, key, context } = endpoint;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw wrong(file, `${where}.url`, 'an address like http://localhost:8000/v1', url);
  if (model !== undefined) textIn(model, file, `${where}.model`);
  if (key !== undefined && !(typeof key === 'string' && /^[A-Z_][A-Z0-9_]*$/.test(key)))
    // A key that was written here by mistake is not repeated on the screen.
    throw new Fault(
      'input',
      `${file}: ${where}.key is the name of a variable that holds the key, like MY_API_KEY, and never the key itself.`,
    );
  if (context !== undefined && !(Number.isInteger(context) && (context as number) >= 128))
    throw wrong(file, `${where}.context`, 'a whole number of tokens, 128 or more', context);
  const sampling = objectIn(endpoint['sampling'] ?? {}, file, `${where}.sampling`);
  checkNames(sampling, Object.keys(samplings), file, `${where}.sampling.`);
  for (const [name, set] of Object.entries(sampling)) {
    const [fits, expected] = samplings[name as keyof typeof samplings];
    if (!fits(set)) throw wrong(file, `${where}.sampling.${name}`, expected, set);
  }
  return endpoint as unknown as ModelEndpoint;
}

const within = (from: number, to: number) => (value: unknown) => typeof value === 'number' && value >= from && value <= to;

const samplings = {
  maxTokens: [(value: unknown) => Number.isInteger(value) && (value as number) > 0, 'a whole number above 0'],
  temperature: [within(0, 2), 'a number from 0 to 2'],
  topP: [within(0, 1), 'a number from 0 to 1'],
  stop: [(value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string'), 'a list of texts'],
  seed: [(value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number from 0 on'],
} as const satisfies Partial<Record<keyof Sampling, readonly [(value: unknown) => boolean, string]>>;

type Fields = Readonly<Record<string, unknown>>;

function objectIn(value: unknown, file: string, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw wrong(file, where, 'an object', value);
}

function textIn(value: unknown, file: string, where: string): void {
  if (typeof value !== 'string' || value === '') throw wrong(file, where, 'a text', value);
}

function checkNames(given: Fields, names: readonly string[], file: string, where = ''): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `${file} has no setting "${where}${unknown}".${didYouMean(unknown, names)} It knows ${names.filter((name) => !name.startsWith('$')).join(', ')}.`,
    );
}

function wrong(file: string, where: string, expected: string, found: unknown): Fault {
  const came = found === undefined ? 'is missing' : `came as ${String(JSON.stringify(found)).slice(0, 80)}`;
  return new Fault('input', `${file}: ${where} must be ${expected}, but ${came}.`);
}
