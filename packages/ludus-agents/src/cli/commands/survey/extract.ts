/** @file `ludus survey extract`: extracts data from the conversations of a run by a schema of fields, as a table. */

import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { csvText } from '@ludus-agents/kernel/internal/core/csv';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { extract as extractFields } from '../../../library/surveys.ts';
import { type CommandRun, exits } from '../../command.ts';
import { type SpendingOptions, withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly schema?: string;
  readonly model?: string;
  readonly output?: string;
  readonly json?: boolean;
}

const columns = ['episode', 'seed', 'field', 'status', 'value', 'quote'] as const;

export const extract: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const { schema, model, output, json, store, readOnly } = input as Options;
    if (schema === undefined) throw new Fault('input', 'An extraction needs fields. Pass their file with --schema, such as fields.json.');
    const { controller, release } = interruptible(terminal);
    const request = { run: args[0], schema, model, store, readOnly, signal: controller.signal };
    const { run, fields, rows, stopped } = await extractFields(request, terminal).finally(release);
    const text = csvText(
      columns,
      rows.map((row) => columns.map((column) => row[column])),
    );
    if (output !== undefined) writeOut(output, text, terminal.cwd);
    if (json === true) printJson(terminal, { run, fields, rows });
    else if (output === undefined) print(terminal, text.trimEnd());
    terminal.stderr.write(`${count(rows.length, 'value')} looked for, ${rows.filter(({ status }) => status === 'found').length} found.\n`);
    if (stopped) return exits.interrupted;
    return rows.some(({ status }) => status === 'broken') ? exits.found : exits.fine;
  }),
};
