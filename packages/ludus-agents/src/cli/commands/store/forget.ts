/** @file `ludus store forget`: deletes stored conversations, and overwrites their bytes. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { Bound } from '@ludus-agents/store/internal/exports/index';
import type { ForgetSelection } from '@ludus-agents/store/internal/forgetting';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { forget as forgetStored } from '../../../library/stored.ts';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { notCovered } from '../../declarations/store.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly olderThan?: string;
  readonly person?: string;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly where?: readonly Bound[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const forget: CommandRun<Options, readonly [(readonly string[])?]> = {
  async run({ args, options, terminal }) {
    const { olderThan, person, run, environment, agent, where, dryRun, store } = options;
    if (options.readOnly === true && dryRun !== true)
      throw new Fault('input', 'The store is open for reading only. Drop --read-only, or use --dry-run.');
    let isRefused = false;
    const confirmForget = async (selection: ForgetSelection) => {
      const text = selectionText(selection);
      if (options.yes === true) return true;
      if (terminal.stdin.isTTY !== true)
        throw new Fault(
          'input',
          `${text} would be deleted permanently. Pass --yes to delete without asking, or --dry-run to see what would be deleted.`,
        );
      isRefused = !(await confirm(terminal, `${text} will be deleted permanently. Continue?`));
      return !isRefused;
    };
    const request = { ids: args[0], olderThan, person, run, environment, agent, where, dryRun, store, confirm: confirmForget };
    const { selection, report } = await forgetStored(request, terminal);
    const { episodes, runs } = selection;
    if (isRefused) return exits.interrupted;
    if (dryRun === true) {
      if (options.json === true) printJson(terminal, { dryRun: true, episodes, runs });
      else
        print(
          terminal,
          `${selectionText(selection)} would be forgotten${episodes.length > 0 ? ':' : '.'}`,
          ...episodes.map((id) => `  ${id}`),
        );
      return exits.fine;
    }
    if (report === null) {
      if (options.json === true) printJson(terminal, { episodes: 0, runs: 0, parts: 0, journals: [] });
      else print(terminal, 'Nothing in this store matches. Nothing was changed.');
      return exits.fine;
    }
    if (options.json === true) printJson(terminal, report);
    else {
      print(terminal, `${count(report.episodes, 'episode')} forgotten, with ${count(report.parts, 'shared part')}. ${notCovered}`);
      if (report.journals.length > 0)
        print(terminal, `These journals still mention them: ${report.journals.join(', ')}. Delete their runs to remove those too.`);
    }
    return exits.fine;
  },
};

function selectionText({ episodes, runs }: ForgetSelection): string {
  return `${count(episodes.length, 'episode')}${runs.length > 0 ? ` and ${count(runs.length, 'run')}` : ''}`;
}
