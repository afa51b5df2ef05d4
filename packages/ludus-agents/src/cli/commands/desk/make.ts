/** @file `ludus desk make`: a database and tasks for a desk of which only tools and a policy are written. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { make as makeDesk } from '../../../library/desk.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

interface Options {
  readonly people: number;
  readonly seed: number;
  readonly json?: boolean;
}

export const make: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const madeDesk = await makeDesk({ folder: args[0], people: options.people, seed: options.seed }, terminal);
    if (options.json === true) printJson(terminal, madeDesk);
    else {
      const steps = Object.entries(madeDesk.steps).map(([name, how]) => `${name} ${how}`);
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(madeDesk.cases, 'case')} over ${count(madeDesk.tables, 'table')} (${steps.join(', ')})`,
      );
    }
    return exits.fine;
  },
};
