/**
 * @file The command prefix that works here: "ludus" after a global install, "npx ludus" in a project, "npx ludus-agents" without
 * an install. Messages name commands as "ludus eval"; people see the working prefix.
 */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { commands } from './catalog.ts';
import type { Screen, Terminal } from './terminal.ts';

const programs = ['node_modules/.bin/ludus', 'node_modules/.bin/ludus.cmd'];

export function typedName({ env, cwd }: Pick<Terminal, 'env' | 'cwd'>, program = import.meta.url): string {
  // npm sets this for child processes, such as those started by npx or by a project script.
  if ((env['npm_command'] ?? '') === '') return 'ludus';
  if (/[/\\]_npx[/\\]/.test(program)) return 'npx ludus-agents';
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (programs.some((name) => existsSync(join(folder, name)))) return 'npx ludus';
    if (dirname(folder) === folder) return 'ludus';
  }
}

const mention = linear(/(?<!npx )(?<![\w./@:-])ludus(\s{1,40})([a-z]{1,20}|--help)\b/g);

/** A text for people with this prefix in its commands. */
export function nameCommands(text: string, name: string): string {
  if (name === 'ludus') return text;
  return text.replace(mention, (whole, space: string, word: string) =>
    word === '--help' || Object.hasOwn(commands, word) ? `${name}${space}${word}` : whole,
  );
}

/** A screen that applies the prefix. */
export function namingScreen(screen: Screen, name: string): Screen {
  if (name === 'ludus') return screen;
  const write = (chunk: unknown, ...rest: []) => screen.write(typeof chunk === 'string' ? nameCommands(chunk, name) : chunk, ...rest);
  return Object.create(screen, { write: { value: write } }) as Screen;
}
