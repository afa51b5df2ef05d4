/**
 * @file The agent on a shell seat: runs commands in a container or inside bubblewrap. Their output is its action, so logs replay without
 * it.
 */

import { type Agent, Fault } from '@ludus-agents/kernel/internal/core/index';
import { openShell, type Shell, type ShellResult, shellKinds } from './sandbox/shell.ts';

/** Answers asks whose data has "files" and "commands"; each command starts from the same files. */
export function shellAgent(name: string, wanted = ''): Agent {
  const kind = shellKinds.find((candidate) => candidate === wanted);
  if (kind === undefined && wanted !== '')
    throw new Fault('input', `Expected "shell", ${shellKinds.map((item) => `"shell:${item}"`).join(' or ')}, but got "shell:${wanted}".`);
  let opened: Promise<Shell> | undefined;
  return {
    name,
    async act({ ask }, signal) {
      const { files, commands, image } = (ask.data ?? {}) as {
        files?: Record<string, string>;
        commands?: readonly string[];
        image?: string;
      };
      if (files === undefined || commands === undefined)
        throw new Fault('agent', `${name} runs commands, which is not what seat "${ask.seat}" does.`);
      opened ??= openShell({ kind, image });
      const { run, limits } = await opened;
      const runs: ShellResult[] = [];
      for (const command of commands) runs.push(await run(files, command, signal));
      const text = runs.at(-1)?.out.trim().slice(-200) || 'No output.';
      return { action: { text, data: { runs, limits } } };
    },
  };
}
