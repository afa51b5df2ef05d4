/** @file `ludus desk make`: a database and tasks for a desk of which only tools and a policy are written. */

import { makeDesk } from '@ludus-agents/desk/internal/make-desk';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

export const make: CommandRun = {
  async run({ args, options, terminal }) {
    const madeDesk = makeDesk(args[0]!, terminal.cwd, { people: options['people'] as number, seed: options['seed'] as number });
    if (options['json'] === true) printJson(terminal, madeDesk);
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
