/** @file `ludus survey extract`: results out of the talk of a run, by a schema of fields, as a table. */

import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { csvText } from '@ludus-agents/kernel/internal/core/csv';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { type ExtractStatus, extractFields, readExtractSchema, talkIn } from '@ludus-agents/societies/internal/surveys/extract';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { planText } from '../../plan-input.ts';
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
    const options = input as Options;
    if (options.schema === undefined)
      throw new Fault('input', 'An extraction needs fields. Pass their file with --schema, such as fields.json.');
    const schema = readExtractSchema(
      jsonFrom(await planText(options.schema, terminal), `The schema ${options.schema}`),
      `The schema ${options.schema}`,
    );
    const needed = schema.fields.some(({ pattern }) => pattern === '');
    if (needed && options.model === undefined)
      throw new Fault('input', 'Some fields have no pattern. Pass a model that reads the conversation with --model.');
    const model = options.model === undefined || !needed ? null : await loadModel(options.model, terminal.cwd, terminal.trust);
    return withExistingStore(terminal, options, async (store) => {
      const run = await loadRun(store, args[0]);
      const { controller, release } = interruptible(terminal);
      const rows: (readonly [string, number, string, ExtractStatus, string, string])[] = [];
      try {
        for (const [episode, status] of await store.statuses(run.id)) {
          if (status !== 'over' || controller.signal.aborted) continue;
          const events = await store.events(episode);
          const [start] = events;
          const extracteds = await extractFields(talkIn(events), schema, model, controller.signal);
          for (const { field, status: how, value, quote } of extracteds)
            rows.push([episode, start?.kind === 'start' ? start.seed : 0, field, how, value, quote]);
        }
      } finally {
        release();
      }
      if (options.output !== undefined) writeOut(options.output, csvText(columns, rows), terminal.cwd);
      const tally = Object.fromEntries(
        schema.fields.map(({ name }) => [
          name,
          Object.fromEntries(
            [
              ...Map.groupBy(
                rows.filter((row) => row[2] === name),
                (row) => row[3],
              ),
            ].map(([how, ownItems]) => [how, ownItems.length]),
          ),
        ]),
      );
      const named = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]!])));
      if (options.json === true) printJson(terminal, { run: run.id, fields: tally, rows: named });
      else if (options.output === undefined) print(terminal, csvText(columns, rows).trimEnd());
      terminal.stderr.write(`${count(rows.length, 'value')} looked for, ${rows.filter((row) => row[3] === 'found').length} found.\n`);
      if (controller.signal.aborted) return exits.interrupted;
      return rows.some((row) => row[3] === 'broken') ? exits.found : exits.fine;
    });
  }),
};
