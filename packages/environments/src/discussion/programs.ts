/** @file Programs that members write: run by the interpreter, without access to anything, and answered with their output. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { runScript } from '../interpreter/interpreter.ts';

const fence = linear(/```(?:js|javascript|ts)?\s*\n([\s\S]*?)```/);

/** Characters of output that are added to a speech. */
const longestOutput = 500;

/** A speech with the output of the program in it, or with the reason why it failed; unchanged where there is no program. */
export function withOutput(text: string): string {
  const program = fence.exec(text)?.[1];
  if (program === undefined) return text;
  const { ok, value, printed, problem } = runScript({ 'main.js': program }, 'main.js');
  const output = [
    ...(printed === '' ? [] : [printed]),
    ...(value === null ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]),
  ].join(' ');
  return `${text}\n${ok ? 'Output' : 'Error'}: ${(ok ? output : problem).replace(/\s+/g, ' ').slice(0, longestOutput)}`;
}
