/** @file `ludus store prune`: removes a run with its episodes, scores, journals and jobs. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { pruneRun } from '@ludus-agents/store/internal/open-store';
import { loadRun, type StoreOptions, whereOf, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { print, printJson } from '../../terminal.ts';

export const prune: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as StoreOptions & { readonly yes?: boolean; readonly json?: boolean };
    const run = await withExistingStore(terminal, options, (store) => loadRun(store, args[0]!));
    const text = `${printable(run.id)} and all its episodes will be deleted permanently. Continue?`;
    if (options.yes !== true && !(await confirm(terminal, text))) return exits.interrupted;
    const episodes = await pruneRun(whereOf(terminal, options), run.id);
    if (options.json === true) printJson(terminal, { run: run.id, episodes });
    else print(terminal, `${printable(run.id)} was deleted, with ${count(episodes, 'episode')}.`);
    return exits.fine;
  },
};
