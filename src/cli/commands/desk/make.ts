/** @file `ludus desk make`: a database and tasks for a desk of which only tools and a policy are written. */

import { count } from '../../../core/format.ts';
import { makeDesk } from '../../../workspace/make-desk.ts';
import { type CommandFile, examples, exits, whole, withJson } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

export const make: CommandFile = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with policy.md and tools.json or openapi.json')
      .option('--people <n>', 'customers to draw', whole('--people', 1, 8), 4)
      .option('--seed <n>', 'the dice', whole('--seed', 0), 1);
    withJson(command);
    examples(command, {
      'ludus desk make ./shop': 'writes database.json, tasks.json and desk.json; what is made of the same input is kept',
      'ludus desk check ./shop': 'then hold it against its own gold calls',
    });
  },

  async run({ args, options, terminal }) {
    const made = makeDesk(args[0]!, terminal.cwd, { people: options['people'] as number, seed: options['seed'] as number });
    if (options['json'] === true) printJson(terminal, made);
    else {
      const steps = Object.entries(made.steps).map(([name, how]) => `${name} ${how}`);
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(made.cases, 'case')} over ${count(made.tables, 'table')} (${steps.join(', ')})`,
      );
    }
    return exits.fine;
  },
};
