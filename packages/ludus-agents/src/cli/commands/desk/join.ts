/** @file `ludus desk join`: several desks as one, with the same customers, one clock, and cases that need more than one of them. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { join as joinDesks } from '../../../library/desk.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

interface Options {
  readonly name: string;
  readonly output: string;
  readonly json?: boolean;
}

export const join: CommandRun<Options, readonly [readonly string[]]> = {
  async run({ args, options, terminal }) {
    const desk = await joinDesks({ desks: args[0], name: options.name }, terminal);
    const file = options.output;
    writeFileAtomicSync(resolve(terminal.cwd, file), `${JSON.stringify(desk, null, 1)}\n`);
    const crossed = desk.tasks.filter(({ rubrics }) => rubrics !== undefined).length;
    if (options.json === true) printJson(terminal, { file, tools: desk.tools.length, cases: desk.tasks.length, crossed });
    else
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(desk.tasks.length, 'case')} in ${printable(file)}, ${crossed} over several desks, with ${count(desk.tools.length, 'tool')}`,
      );
    return exits.fine;
  },
};
