/** @file `ludus store`: copies stores, deletes data, edits agents' memories, and prints grants. */

import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import type { Bound } from '@ludus-agents/store/internal/exports/index';
import type { ForgetSelection } from '@ludus-agents/store/internal/forgetting';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import {
  memory as changeMemory,
  copy as copyEverything,
  type ForgetRequest,
  forget as forgetStored,
  roles as grantRoles,
  type MemoryRequest,
  prune as pruneStore,
} from '../../library/stored.ts';
import { type CommandRun, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import { notCovered } from '../declarations/store.ts';
import { coloursFor } from '../render/colours.ts';
import { interruptible, print, printJson } from '../terminal.ts';

/** `ludus store copy`: copies everything from one store into another; an interrupted copy continues. */
export const copy: CommandRun = {
  async run({ args, options, terminal }) {
    const [from, to] = args as [string, string];
    const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
    const onProgress = (done: number, of: number) => {
      if (terminal.stderr.isTTY === true) terminal.stderr.write(`\r\u001b[2K${formatGrouped(done)} of ${formatGrouped(of)} episodes`);
    };
    try {
      const report = await copyEverything({ from, to, onProgress, signal: controller.signal }, terminal);
      if (terminal.stderr.isTTY === true) terminal.stderr.write('\r\u001b[2K');
      const { episodes, fresh, events, scores, digest } = report;
      const text = `${count(episodes, 'episode')} compared, ${formatGrouped(fresh)} new with ${count(events, 'event')} and ${count(scores, 'score')}; both sides agree (${digest.slice(0, 12)}).`;
      if (options['json'] === true) printJson(terminal, report);
      else print(terminal, `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${text}`);
      return exits.fine;
    } catch (thrown) {
      if (!controller.signal.aborted) throw thrown;
      terminal.stderr.write('Stopped. Run the same command to resume.\n');
      return exits.interrupted;
    } finally {
      release();
    }
  },
};

interface ForgetOptions extends StoreOptions, Pick<ForgetRequest, 'olderThan' | 'person' | 'run' | 'environment' | 'agent' | 'dryRun'> {
  readonly where?: readonly Bound[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `ludus store forget`: deletes stored conversations, and overwrites their bytes. */
export const forget: CommandRun<ForgetOptions, readonly [(readonly string[])?]> = {
  async run({ args, options, terminal }) {
    const { olderThan, person, run, environment, agent, where, dryRun, store } = options;
    if (options.readOnly === true && dryRun !== true)
      throw new Fault('input', 'The store is read-only. Remove --read-only, or use --dry-run.');
    let isRefused = false;
    const confirmForget = async (selection: ForgetSelection) => {
      const text = selectionText(selection);
      if (options.yes === true) return true;
      if (terminal.stdin.isTTY !== true)
        throw new Fault(
          'input',
          `${text} would be deleted permanently. Pass --yes to delete without asking, or --dry-run to see what would be deleted.`,
          { code: 'E_MISSING_OPTION' },
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
        print(
          terminal,
          `These journals still mention the deleted data: ${report.journals.join(', ')}. Delete their runs to remove those too.`,
        );
    }
    return exits.fine;
  },
};

function selectionText({ episodes, runs }: ForgetSelection): string {
  return `${count(episodes.length, 'episode')}${runs.length > 0 ? ` and ${count(runs.length, 'run')}` : ''}`;
}

interface MemoryOptions extends StoreOptions, Pick<MemoryRequest, 'add' | 'key' | 'edit' | 'text' | 'changes'> {
  readonly forget?: readonly string[];
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `ludus store memory`: an agent's memories across episodes; add, edit, and forget. */
export const memory: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as MemoryOptions;
    const agent = args[0];
    const { add, key, edit, text, all, changes, store, readOnly } = options;
    const forget = options.forget ?? (all === true ? ('all' as const) : undefined);
    const after = await changeMemory({ agent, add, key, edit, text, forget, changes, store, readOnly }, terminal);
    const { records, forgotten = [] } = after;
    if (options.json === true) {
      printJson(terminal, after);
      return exits.fine;
    }
    if (forgotten.length > 0) print(terminal, `Forgotten: ${forgotten.join(', ')}.`);
    if (records.length === 0) print(terminal, `${printable(agent)} has no memories.`);
    else
      print(terminal, ...records.map((record) => `${record.id}  ${printable(record.text)}${record.edited === true ? '  (edited)' : ''}`));
    return exits.fine;
  },
};

/** `ludus store prune`: removes a run with its episodes, scores, journals and jobs. */
export const prune: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as StoreOptions & { readonly yes?: boolean; readonly json?: boolean };
    if (options.readOnly === true) throw new Fault('input', 'The store is read-only. Remove --read-only to delete a run.');
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

interface RolesOptions extends StoreOptions {
  readonly worker?: string;
  readonly reader?: string;
  readonly json?: boolean;
}

/** `ludus store roles`: the rights of workers and readers, as SQL for the owner of the schema. */
export const roles: CommandRun = {
  async run({ options: input, terminal }) {
    const options = input as RolesOptions;
    const { worker, reader, store } = options;
    const statements = await grantRoles({ worker, reader, store }, terminal);
    if (options.json === true) printJson(terminal, statements);
    else print(terminal, ...statements);
    return exits.fine;
  },
};
