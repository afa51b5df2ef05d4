/** @file `ludus memory`: what an agent remembers from its episodes; add to it, edit it, forget. */

import { Fault, printable } from '../../core/index.ts';
import { addMemory, editMemory, forgetMemory, readLastingMemory } from '../../workspace/lasting-memory.ts';
import { checkAgentPlayed, type StoreOptions, withExistingStore } from '../../workspace/stores.ts';
import { type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { print, printJson } from '../terminal.ts';
import { collect } from './play.ts';

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

export const memory: CommandFile = {
  declare(command) {
    command
      .argument('<agent>', 'an agent, by its name in the logs')
      .option('--add <text>', 'write something into its memory')
      .option('--key <name>', 'with --add: what it is about; what was noted later under the same name weighs more')
      .option('--edit <id>', 'replace the text of one memory by --text')
      .option('--text <text>', 'with --edit: the new text')
      .option('--forget <id>', 'forget one, with all that repeats it or rests on it alone; may be given often', collect)
      .option('--all', 'with --forget left out: forget everything')
      .option('--changes <n>', 'as it was after so many changes by hand', whole('--changes', 0));
    withJson(withStore(command));
    examples(command, {
      'ludus memory Ann': 'what Ann remembers, the oldest first',
      'ludus memory Ann --json': 'the same with all changes, for machines',
      'ludus memory Ann --edit 3f2a91c0/m1 --text "tea: green"': 'correct it',
      'ludus memory Ann --forget 3f2a91c0/m1': 'no later prompt has it',
      'ludus memory Ann --all': 'begin anew',
    });
    command.addHelpText(
      'after',
      '\nAn agent remembers from one episode to the next if its spec says {"settings": {"lasting": true}};\nLUDUS_MEMORY=off switches that off for all. The logs of earlier episodes stay as they are: "ludus forget" deletes those.',
    );
  },

  async run({ args, options: given, terminal }) {
    const options = given as Options;
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
