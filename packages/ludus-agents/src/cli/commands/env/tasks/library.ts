/** @file `ludus env tasks library`: turns your documents into a suite, with your questions or questions about their links. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { library as createTasks } from '../../../../library/env-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly questions?: string;
  readonly seeds: number;
  readonly search?: string;
  readonly output: string;
  readonly json?: boolean;
}

export const library: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { questions, seeds, search } = options;
    const result = await createTasks({ folder: args[0], questions, seeds, search }, terminal);
    const { suite, documents, skipped } = result;
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    const text = result.questions === null ? '' : ` from ${count(result.questions, 'question')}`;
    if (options.json === true) printJson(terminal, { file: options.output, documents, seeds: options.seeds, skipped });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(documents, 'document')} in ${options.output}, ${count(options.seeds, 'question')} to draw${text}`,
        ...skipped.slice(0, 5).map(({ path, why }) => `  ${colours.yellow('·')} left out: ${printable(path)}: ${why}`),
        ...(skipped.length > 5 ? [`  and ${skipped.length - 5} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  },
};
