/** @file `ludus desk tasks observe`: conversations of people as places where a simulated user has to speak or to watch in silence, as a suite. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { observe as observeTasks } from '../../../../library/desk-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly limit: number;
  readonly output: string;
  readonly json?: boolean;
}

export const observe: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { suite, places, silent } = await observeTasks({ conversations: args[0], limit: options.limit }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, places, silent });
    else
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(places, 'place')} in ${options.output}; people were silent at ${silent}`,
        ...(silent === 0 ? ['  The user always speaks here, so only the content can be compared, not the timing.'] : []),
      );
    return exits.fine;
  },
};
