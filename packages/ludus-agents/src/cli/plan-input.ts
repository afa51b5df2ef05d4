/** @file Reads the text of a plan or a questionnaire, from a file or from standard input. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import type { Terminal } from './terminal.ts';

export async function planText(where: string, terminal: Pick<Terminal, 'stdin' | 'cwd'>, what = 'plan'): Promise<string> {
  if (where === '-') return text(terminal.stdin);
  try {
    return readFileSync(resolve(terminal.cwd, where), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The ${what} ${where} cannot be read: ${reasonOf(thrown)}.`);
  }
}
