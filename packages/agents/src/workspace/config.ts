/**
 * @file The configuration of a working folder, ludus.config.ts or .json: default model and store, endpoints, budgets, and the user's own
 * entries.
 *
 * It is code, so it is loaded only from the working folder itself. Flags and variables take precedence.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { checkFolder, findConfig } from '@ludus-agents/store/internal/folder-trust';
import { isReservedModel, type ModelEndpoint, setEndpoints } from '../models/kinds.ts';
import { configShape } from './config-shape.ts';
import { importFile } from './programs.ts';

/** The contents of `ludus.config`. */
export interface LudusConfig {
  /** The default model of agents and commands: `llm`, and `ludus chat`. */
  readonly model?: string;
  /** The user's name in conversations: {{user}} in every card. */
  readonly user?: string;
  /** The store of episodes, as in --store. */
  readonly store?: string;
  /** Servers by custom names: `mine` is used as `llm:mine`. */
  readonly endpoints?: Readonly<Record<string, ModelEndpoint>>;
  /** Hard stops for every command that takes them. */
  /** Hard stops of every command that takes them as options. */
  readonly budget?: {
    /** US dollars. */
    readonly money?: number;
    /** Model calls. */
    readonly calls?: number;
    /** Tokens of prompts and answers together. */
    readonly tokens?: number;
    readonly episodes?: number;
  };
  /** The defaults of "ludus test". */
  readonly test?: TestConfig;
  /** The user's own entries, by kind and name: `{ scorers: { polite: './polite.ts' } }`. */
  readonly kinds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The test gate of a folder: the suite and the conditions. */
export interface TestConfig {
  /** A suite, or the folder of a desk. */
  readonly suite?: string;
  readonly agents?: readonly string[];
  readonly seeds?: number;
  readonly failUnder?: number;
  readonly mustPass?: readonly string[];
  readonly noWorseThan?: string;
  readonly margin?: number;
  /** A file with human conversations; every result shows how similar the simulated customers are to them. */
  readonly humans?: string;
  readonly allowFaults?: readonly string[];
}

/** Returns a configuration unchanged; editors complete and check its fields. */
export function defineConfig(config: LudusConfig): LudusConfig {
  return config;
}

const knownEntries = new Map<string, Promise<LudusConfig>>();

/** The configuration of a folder; empty if it has none. Parsed once for each version of its file. */
export async function readConfigIn(cwd: string): Promise<LudusConfig> {
  const file = findConfig(cwd);
  if (file === null) return {};
  const path = join(cwd, file);
  checkFolder({ cwd, env: process.env }, file);
  const key = `${path} ${statSync(path).mtimeMs}`;
  const reading = knownEntries.get(key) ?? readFile(path, file);
  knownEntries.set(key, reading);
  reading.catch(() => knownEntries.delete(key));
  return reading;
}

async function readFile(path: string, file: string): Promise<LudusConfig> {
  if (file.endsWith('.json')) return readConfig(jsonFrom(readFileSync(path, 'utf8'), file), file);
  const { default: exported } = await importFile(path);
  if (exported === undefined) throw new Fault('input', `${file} must export its settings: export default defineConfig({ … }).`);
  return readConfig(exported, file);
}

/** Registers the endpoints of a folder for all models of this process, and returns its configuration. */
export async function useConfig(cwd: string): Promise<LudusConfig> {
  const config = await readConfigIn(cwd);
  setEndpoints(config.endpoints ?? {});
  return config;
}

/** Parses an external configuration. The error for an unknown setting suggests the one that was probably meant. */
export function readConfig(value: unknown, file: string): LudusConfig {
  const config = readAs(configShape(), value, { where: file, called: 'the configuration' });
  for (const name of Object.keys(config.endpoints ?? {}))
    if (isReservedModel(name)) throw new Fault('input', `${file}: "${name}" is already a kind of model. Give the endpoint another name.`);
  return config;
}
