/** @file `ludus improve diff`: how the texts of two candidates differ, line by line. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AgentSpec, Fault, isFault, printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { candidateBy } from '@ludus-agents/learning/internal/improving/lineage';
import { addressOf, changeBetween, componentsOf, isEmpty, touchedNames } from '@ludus-agents/learning/internal/prompts/components';
import { diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly json?: boolean;
}

export const diff: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    return withExistingStore(terminal, options, async (store) => {
      const [a, b] = [await specBy(store, args[0]!, terminal), await specBy(store, args[1]!, terminal)];
      const [before, after] = [componentsOf(a), componentsOf(b)];
      const change = changeBetween(before, after);
      if (options.json === true) printJson(terminal, { a: addressOf(a), b: addressOf(b), change });
      else if (isEmpty(change)) print(terminal, 'They are identical.');
      else
        print(
          terminal,
          touchedNames(change)
            .map((name) => section(name, [before[name] ?? '', after[name] ?? ''], terminal))
            .join('\n\n'),
        );
      return exits.fine;
    });
  },
};

function section(name: string, [before, after]: readonly [string, string], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const paint = { ' ': (text: string) => text, '-': colours.red, '+': colours.green };
  const lines = diffLines(before, after).map(({ sign, text }) => paint[sign](`${sign} ${printable(text)}`));
  return [colours.bold(printable(name)), ...lines].join('\n');
}

async function specBy(store: Store, typed: string, terminal: Terminal): Promise<AgentSpec> {
  if (!/[\\/]|\.json$/.test(typed)) return (await candidateBy(store, typed)).candidate.spec;
  try {
    return jsonFrom(readFileSync(resolve(terminal.cwd, typed), 'utf8'), `The spec ${typed}`) as AgentSpec;
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('input', `The spec ${typed} cannot be read: ${reasonOf(thrown)}.`);
  }
}
