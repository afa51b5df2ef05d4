/** @file A yes-or-no question to the person at the terminal. */

import { Keyboard } from '@ludus-agents/agents/internal/keyboard';
import type { Terminal } from './terminal.ts';

/** True for yes and for plain Enter; without a person at the terminal, nothing is asked. */
/** Asks a person whose answer must be a yes. */
export async function refuseByDefault(terminal: Terminal, question: string): Promise<boolean> {
  const answer = await Keyboard.of(terminal.stdin).read(`${question} [y/N] `, terminal.stderr, new AbortController().signal);
  return answer !== null && /^(y|yes)$/i.test(answer.trim());
}

export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) return true;
  const answer = await Keyboard.of(terminal.stdin).read(`${question} [Y/n] `, terminal.stderr, new AbortController().signal);
  return answer !== null && /^(y|yes)?$/i.test(answer.trim());
}
