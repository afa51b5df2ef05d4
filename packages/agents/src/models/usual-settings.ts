/**
 * @file Default settings of models from the environment, and so from command options: the load settings of in-process models, and the
 * sampling of calls without their own. A command's workers inherit them.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import type { Sampling } from '@ludus-agents/kernel/internal/core/index';
import type { EnvVars } from './local.ts';

/** Each setting: its variable, its values, and its parser. */
const settings = {
  context: ['LUDUS_CONTEXT', 'an integer from 128 to 100,000,000', whole(128, 1e8)],
  threads: ['LUDUS_THREADS', 'an integer from 1 to 1,024', whole(1, 1024)],
  gpuLayers: ['LUDUS_GPU_LAYERS', 'an integer from 0 to 10,000', whole(0, 10_000)],
  sequences: ['LUDUS_SEQUENCES', 'an integer from 1 to 256', whole(1, 256)],
  temperature: ['LUDUS_TEMPERATURE', 'a number from 0 to 2', number(0, 2)],
  topP: ['LUDUS_TOP_P', 'a number from 0 to 1', number(0, 1)],
  maxTokens: ['LUDUS_MAX_TOKENS', 'an integer from 1 to 1,000,000', whole(1, 1e6)],
} as const;

export type UsualSetting = keyof typeof settings;

export const usualSettings: readonly UsualSetting[] = Object.keys(settings) as UsualSetting[];

/** The environment variable of a setting. */
export function variableOf(name: UsualSetting): string {
  return settings[name][0];
}

/** Reads a setting from the environment; throws a sentence if the value is invalid. */
export function usualSetting(name: UsualSetting, env: EnvVars): number | undefined {
  const [variable, wanted, read] = settings[name];
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const value = read(text);
  if (value === undefined) throw new Fault('input', `${variable} must be ${wanted}, but is "${text}".`);
  return value;
}

/** The default sampling of calls, from the environment. */
export function usualSampling(env: EnvVars): Sampling {
  const inputs = (['temperature', 'topP', 'maxTokens'] as const).map((name) => [name, usualSetting(name, env)] as const);
  return Object.fromEntries(inputs.filter(([, value]) => value !== undefined));
}

function whole(from: number, to: number): (text: string) => number | undefined {
  return (text) => (/^\d+$/.test(text) && Number(text) >= from && Number(text) <= to ? Number(text) : undefined);
}

function number(from: number, to: number): (text: string) => number | undefined {
  return (text) => (text.trim() !== '' && Number(text) >= from && Number(text) <= to ? Number(text) : undefined);
}
