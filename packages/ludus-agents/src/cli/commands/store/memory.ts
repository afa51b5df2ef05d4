/** @file `ludus store memory`: what an agent remembers from its episodes; add to it, edit it, forget. */

import { addMemory, editMemory, forgetMemory, readLastingMemory } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { checkAgentPlayed, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
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
    const agent = args[0]!;
    if (options.edit !== undefined && options.text === undefined) throw new Fault('input', '--edit needs the new text: --text "…".');
    return withExistingStore(terminal, options, async (store) => {
      const before = await readLastingMemory(store, agent, options.changes);
      let forgotten: readonly string[] = [];
      if (options.add !== undefined) await addMemory(store, agent, options.add, options.key);
      if (options.edit !== undefined) await editMemory(store, agent, options.edit, options.text as string);
      if (options.forget !== undefined) forgotten = await forgetMemory(store, agent, options.forget);
      else if (options.all === true)
        forgotten = await forgetMemory(
          store,
          agent,
          before.records.map(({ id }) => id),
        );
      const isChanged = options.add !== undefined || options.edit !== undefined || options.forget !== undefined || options.all === true;
      if (!isChanged && before.version === 0 && before.records.length === 0) await checkAgentPlayed(store, agent);
      const after = isChanged ? await readLastingMemory(store, agent) : before;
      if (options.json === true) {
        printJson(terminal, { ...after, ...(forgotten.length === 0 ? {} : { forgotten }) });
        return exits.fine;
      }
      if (forgotten.length > 0) print(terminal, `Forgotten: ${forgotten.join(', ')}.`);
      if (after.records.length === 0) print(terminal, `${printable(agent)} remembers nothing.`);
      else
        print(terminal, ...after.records.map(({ id, text, edited }) => `${id}  ${printable(text)}${edited === true ? '  (edited)' : ''}`));
      return exits.fine;
    });
  },
};
