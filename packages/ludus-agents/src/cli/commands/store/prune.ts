/** @file `ludus store prune`: removes a run with its episodes, scores, journals and jobs. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { prune as pruneStore } from '../../../library/stored.ts';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { print, printJson } from '../../terminal.ts';

export const prune: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as StoreOptions & { readonly yes?: boolean; readonly json?: boolean };
    if (options.readOnly === true) throw new Fault('input', 'The store is open for reading only. Drop --read-only to delete a run.');
    const question = (run: string) => confirm(terminal, `${printable(run)} and all its episodes will be deleted permanently. Continue?`);
    const pruned = await pruneStore(
      { run: args[0], store: options.store, confirm: async (run) => options.yes === true || question(run) },
      terminal,
    );
    if (pruned === null) return exits.interrupted;
    if (options.json === true) printJson(terminal, pruned);
    else print(terminal, `${printable(pruned.run)} was deleted, with ${count(pruned.episodes, 'episode')}.`);
    return exits.fine;
  },
};
