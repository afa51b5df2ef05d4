/** @file `ludus store memory`: what an agent remembers from its episodes; add to it, edit it, forget. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { memory as changeMemory } from '../../../library/stored.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly add?: string;
  readonly key?: string;
  readonly edit?: string;
  readonly text?: string;
  readonly forget?: readonly string[];
  readonly all?: boolean;
  readonly changes?: number;
  readonly json?: boolean;
}

export const memory: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
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
    if (records.length === 0) print(terminal, `${printable(agent)} remembers nothing.`);
    else
      print(terminal, ...records.map((record) => `${record.id}  ${printable(record.text)}${record.edited === true ? '  (edited)' : ''}`));
    return exits.fine;
  },
};
