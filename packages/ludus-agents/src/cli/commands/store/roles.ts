/** @file `ludus store roles`: the rights of workers and readers, as SQL for the owner of the schema. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { isPostgres, readAddress } from '@ludus-agents/store/internal/postgres/address';
import { grantsFor } from '@ludus-agents/store/internal/postgres/roles';
import { type StoreOptions, whereOf } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly worker?: string;
  readonly reader?: string;
  readonly json?: boolean;
}

export const roles: CommandRun = {
  async run({ options: input, terminal }) {
    const options = input as Options;
    const where = whereOf(terminal, options);
    if (!isPostgres(where)) throw new Fault('input', 'Roles are for PostgreSQL stores. Use --store postgres://….');
    if (options.worker === undefined && options.reader === undefined)
      throw new Fault('input', 'Pass a role with --worker or --reader. Create it first with "create role NAME login".');
    const { schema } = readAddress(where);
    const statements = [
      ...(options.worker === undefined ? [] : grantsFor(schema, options.worker, 'worker')),
      ...(options.reader === undefined ? [] : grantsFor(schema, options.reader, 'reader')),
    ];
    if (options.json === true) printJson(terminal, statements);
    else print(terminal, ...statements);
    return exits.fine;
  },
};
