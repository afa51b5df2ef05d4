/** @file `ludus env tasks ideas`: turns written ideas into text adventures, each proved winnable, as a suite for training and tests. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { ideas as createTasks } from '../../../../library/env-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { withinBudget } from '../../../spending.ts';
import { interruptible, print, printJson } from '../../../terminal.ts';

interface Options {
  readonly model?: string;
  readonly output: string;
  readonly json?: boolean;
}

export const ideas: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const { controller, release } = interruptible(terminal);
    const request = { ideas: args[0], model: options.model, signal: controller.signal };
    const { suite, commands, rejected: down } = await createTasks(request, terminal).finally(release);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, made: commands.length, commands, down });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(commands.length, 'quest')} in ${options.output}, solvable in ${commands.join(', ')} commands`,
        ...down.map(({ idea, why }) => `  ${colours.yellow('·')} left out: ${printable(idea.split('\n', 1)[0]!)}: ${printable(why)}`),
      );
    }
    return exits.fine;
  }),
};
