/** @file `ludus store roles`: the rights of workers and readers, as SQL for the owner of the schema. */

import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { roles as grantRoles } from '../../../library/stored.ts';
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
    const { worker, reader, store } = options;
    const statements = await grantRoles({ worker, reader, store }, terminal);
    if (options.json === true) printJson(terminal, statements);
    else print(terminal, ...statements);
    return exits.fine;
  },
};
