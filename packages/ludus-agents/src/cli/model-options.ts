/** @file Options for loading and sampling models, shared by all commands that call one. They become variables, so workers have them too. */

import { type UsualSetting, usualSetting, usualSettings, variableOf } from '@ludus-agents/agents/internal/models/usual-settings';
import type { Command } from 'commander';

const about: Readonly<Record<UsualSetting, readonly [flag: string, words: string]>> = {
  context: ['--context <tokens>', 'context size in tokens'],
  threads: ['--threads <n>', 'threads for a local model (default: idle cores)'],
  gpuLayers: ['--gpu-layers <n>', 'layers of a local model to run on the GPU'],
  sequences: ['--sequences <n>', 'parallel calls to a local model (default: up to 8, by memory)'],
  temperature: ['--temperature <t>', 'sampling temperature, from 0 to 2'],
  topP: ['--top-p <p>', 'nucleus sampling threshold, from 0 to 1'],
  maxTokens: ['--max-tokens <n>', 'maximum answer length in tokens (default: by task)'],
};

export function withModelOptions(command: Command): Command {
  for (const name of usualSettings) command.option(...about[name]);
  return command;
}

/** Sets the variables for a command's model options. Invalid values are rejected before anything starts. */
export function modelOptions(options: object, env: Readonly<Record<string, string | undefined>>): void {
  const values: Readonly<Record<string, unknown>> = { ...options };
  for (const name of usualSettings) {
    const value = values[name];
    if (typeof value !== 'string') continue;
    const variable = variableOf(name);
    usualSetting(name, { [variable]: value });
    process.env[variable] = value;
    if (env !== process.env) (env as Record<string, string | undefined>)[variable] = value;
  }
}
