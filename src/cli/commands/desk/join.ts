/** @file `ludus desk join`: several desks as one, with the same customers, one clock, and cases that need more than one of them. */

import { resolve } from 'node:path';
import { count } from '../../../core/format.ts';
import { printable } from '../../../core/index.ts';
import { joinDesks } from '../../../environments/desk/make/join.ts';
import { writeFileAtomicSync } from '../../../files/atomic-file.ts';
import { loadDesk } from '../../../workspace/desks.ts';
import { type CommandFile, examples, exits, withJson } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

export const join: CommandFile = {
  declare(command) {
    command
      .argument('<desks...>', 'folders or files of desks; the customers of the first are the people')
      .option('--name <name>', 'what the desk is called', 'joined')
      .requiredOption('-o, --output <file>', 'where to write the desk');
    withJson(command);
    examples(command, {
      'ludus desk join ./food ./travel -o both.json': 'tools, tables and policies side by side, cases over both',
      'ludus eval both.json --agents llm:MODEL --run both': 'one conversation that needs both',
      'ludus score both --scorers states=MODEL': 'an evaluator that reads a few lines at a time and carries the rubrics along',
    });
  },

  async run({ args, options, terminal }) {
    // Several words of one argument come as a list.
    const paths = args[0] as unknown as readonly string[];
    const desk = joinDesks(
      paths.map((path) => loadDesk(path, terminal.cwd)),
      String(options['name']),
    );
    const file = String(options['output']);
    writeFileAtomicSync(resolve(terminal.cwd, file), `${JSON.stringify(desk, null, 1)}\n`);
    const crossed = desk.tasks.filter(({ rubrics }) => rubrics !== undefined).length;
    if (options['json'] === true) printJson(terminal, { file, tools: desk.tools.length, cases: desk.tasks.length, crossed });
    else
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(desk.tasks.length, 'case')} in ${printable(file)}, ${crossed} over several desks, with ${count(desk.tools.length, 'tool')}`,
      );
    return exits.fine;
  },
};
