/** @file `ludus env tasks programs`: repair tasks in the public format of SWE-style benchmarks, as a suite of `programs`. */

import { dirname, resolve } from 'node:path';
import { readRepairTasks } from '@ludus-agents/evaluation/internal/repair-tasks';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
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
    const file = resolve(terminal.cwd, args[0]!);
    const folder = options.repositories === undefined ? dirname(file) : resolve(terminal.cwd, options.repositories);
    const { tasks, down } = await readRepairTasks(file, folder);
    if (tasks.length === 0) throw new Fault('input', `No instance of ${args[0]} fits: ${down[0]?.why ?? 'the file has none'}`);
    const suite: SuiteInput = {
      name: 'repairs',
      about: 'Your repositories with a bug: pays 1 when the named tests pass.',
      nulls: ['random'],
      // Tasks in Python have a second seat, which runs the tests.
      scenes: [
        { environment: 'programs', seats: ['fixer'], others: { '*': 'tester' }, tasks: tasks.map(({ task }) => task), also: ['form'] },
      ],
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    const proved = tasks.filter((task) => task.proved).length;
    if (options.json === true) printJson(terminal, { file: options.output, tasks: tasks.length, proved, down });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(tasks.length, 'task')} in ${options.output}, ${proved} verified with the patch that came with it; ${down.length} left out`,
        ...down.slice(0, 10).map(({ id, why }) => `  ${colours.yellow('·')} ${printable(id)}: ${printable(why)}`),
        ...(down.length > 10 ? [`  and ${down.length - 10} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  },
};
