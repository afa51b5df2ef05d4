/** @file `ludus env tasks programs`: repair tasks in the public format of SWE-style benchmarks, as a suite of `programs`. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { programs as createTasks } from '../../../../library/env-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly repositories?: string;
  readonly output: string;
  readonly json?: boolean;
}

export const programs: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const request = { instances: args[0], repositories: options.repositories };
    const { suite, tasks, proved, rejected: down } = await createTasks(request, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, tasks, proved, down });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(tasks, 'task')} in ${options.output}, ${proved} verified with their reference patch; ${down.length} left out`,
        ...down.slice(0, 10).map(({ id, why }) => `  ${colours.yellow('·')} ${printable(id)}: ${printable(why)}`),
        ...(down.length > 10 ? [`  and ${down.length - 10} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  },
};
