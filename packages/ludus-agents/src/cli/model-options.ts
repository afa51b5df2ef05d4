/** @file Options that say how models are loaded and sampled, the same in every command that calls one. They become variables, so that workers have them too. */

import { type UsualSetting, usualSetting, usualSettings, variableOf } from '@ludus-agents/agents/internal/models/usual-settings';
import type { Command } from 'commander';

const about: Readonly<Record<UsualSetting, readonly [flag: string, words: string]>> = {
  context: ['--context <tokens>', 'tokens that the model holds, prompt and answer together'],
  threads: ['--threads <n>', 'threads of a model inside the process (default: idle cores)'],
  gpuLayers: ['--gpu-layers <n>', 'layers of a model inside the process that the graphics card computes'],
  sequences: ['--sequences <n>', 'calls that a model inside the process answers at once (default: up to 8, by memory)'],
  temperature: ['--temperature <t>', 'how freely the model chooses its words, from 0 to 2'],
  topP: ['--top-p <p>', 'how many of the likely words it chooses from, from 0 to 1'],
  maxTokens: ['--max-tokens <n>', 'the longest answer (default: by what is asked)'],
};

export function withModelOptions(command: Command): Command {
  for (const name of usualSettings) command.option(...about[name]);
  return command;
}

/** Puts the options of a command where models look for them. A value that cannot be meant is refused before anything begins. */
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
