/** @file `ludus persona suite`: builds a role-play benchmark from your characters, scenes, and a source model. */

import { basename } from 'node:path';
import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { suite as buildSuite } from '../../../library/characters.ts';
import { type CommandRun, exits } from '../../command.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options {
  readonly scenes?: string;
  readonly source?: string;
  readonly test?: string;
  readonly turns?: number;
  readonly seed?: number;
  readonly output: string;
  readonly json?: boolean;
}

export const build: CommandRun<Options, readonly [readonly string[]]> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    if (!/\.json$/i.test(options.output)) throw new Fault('input', `-o: expected a file that ends in .json, got "${options.output}".`);
    const { scenes, source, test, turns, seed } = options;
    const name = basename(options.output)
      .replace(/\.json$/i, '')
      .replace(/[^\w.-]/g, '-')
      .slice(0, 60);
    const { controller, release } = interruptible(terminal);
    const request = { personas: args[0], name, scenes, source, test, turns, seed, signal: controller.signal };
    const built = await buildSuite(request, terminal).finally(release);
    writeOut(options.output, `${JSON.stringify(built.suite, null, 2)}\n`, terminal.cwd);
    const tasks = Object.values(built.axes).reduce((sum, n) => sum + n, 0);
    if (options.json === true)
      printJson(terminal, { suite: built.suite.name, file: options.output, dialogues: built.dialogues, tasks, axes: built.axes });
    else
      print(
        terminal,
        `${count(tasks, 'task')} from ${count(built.dialogues, 'dialogue')} in ${options.output}: ${Object.entries(built.axes)
          .map(([axis, n]) => `${n} ${axis}`)
          .join(', ')}.`,
        `ludus eval ./${options.output} --agents scripted`,
      );
    return exits.fine;
  }),
};
