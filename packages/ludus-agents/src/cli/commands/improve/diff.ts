/** @file `ludus improve diff`: shows the text differences of two candidates, line by line. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import { isEmpty, touchedNames } from '@ludus-agents/learning/internal/prompts/components';
import { diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { diff as compareSpecs } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly json?: boolean;
}

export const diff: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const { a, b, before, after, change } = await compareSpecs(
      { before: args[0], after: args[1]!, store: options.store, readOnly: options.readOnly },
      terminal,
    );
    const sections = touchedNames(change).map((name) => section(name, [before[name] ?? '', after[name] ?? ''], terminal));
    if (options.json === true) printJson(terminal, { a, b, change });
    else print(terminal, isEmpty(change) ? 'They are identical.' : sections.join('\n\n'));
    return exits.fine;
  },
};

function section(name: string, [before, after]: readonly [string, string], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const paint = { ' ': (text: string) => text, '-': colours.red, '+': colours.green };
  const lines = diffLines(before, after).map(({ sign, text }) => paint[sign](`${sign} ${printable(text)}`));
  return [colours.bold(printable(name)), ...lines].join('\n');
}
