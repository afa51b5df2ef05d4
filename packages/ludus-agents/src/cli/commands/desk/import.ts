/** @file `ludus desk import`: a domain of τ²-bench, from its folder, as a suite that eval and test play. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { importDomain as readDomain } from '../../../library/desk.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

interface Options {
  readonly output: string;
  readonly domain?: string;
  readonly split?: string;
  readonly customer: string;
  readonly json?: boolean;
}

export const importDomain: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { domain, split, customer } = options;
    const { suite, tasks, taken, missing, reduced } = await readDomain({ folder: args[0], domain, split, customer }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, tasks, taken, missing, reduced });
    else {
      const lines = (title: string, counts: Readonly<Record<string, number>>) =>
        Object.entries(counts).map(([why, much]) => `  ${title}: ${why} (${much})`);
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${taken} of ${count(tasks, 'task')} in ${options.output}; the customer is ${options.customer}`,
        ...lines('not taken', missing),
        ...lines('not as in the release', reduced),
      );
    }
    return exits.fine;
  },
};
