/** @file Evaluation for programs: the names in their requests are trusted like names on a command line. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import * as arena from '@ludus-agents/evaluation/internal/arena';
import { trustInProcess } from '@ludus-agents/store/internal/folder-trust';

/** The trust in the names of a program, including the folder that it selected. */
function user(cwd: string = process.cwd()): Trust {
  trustInProcess(cwd);
  return Trust.commandLine;
}

/** The options of `runArena`. */
export type ArenaRequest = Omit<arena.Arena, 'trust'>;

/** Lets agents play each other until their order is decided or the games run out. */
export function runArena(options: ArenaRequest): Promise<arena.ArenaReport> {
  return arena.runArena({ ...options, trust: user(options.cwd) });
}
