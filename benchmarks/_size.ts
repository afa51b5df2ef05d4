/** @file How much a benchmark does: what its flag says, what it usually does, or, with --smoke, just enough to show that it still runs. */

import type { Flags } from './run.ts';

export function sizeOf(flags: Flags, name: string, usual: number, smoke: number): number {
  return Number(flags[name] ?? (flags['smoke'] === true ? smoke : usual));
}
