/** @file `ludus persona check`: lists the problems of a document with their fields, and its inconsistencies. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { check as checkPersona } from '../../../library/persona.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson } from '../../terminal.ts';

export const check: CommandRun = {
  async run({ args, options, terminal }) {
    const name = args[0];
    const { format, problems, about, flaws } = await checkPersona({ persona: name }, terminal);
    const valid = problems.length === 0;
    const colours = coloursFor(terminal.stdout, terminal.env);
    const columns = Math.min(100, columnsOf(terminal.stdout)) - 4;
    if (options['json'] === true) printJson(terminal, { valid, format, problems, flaws });
    else if (valid && flaws.length === 0) print(terminal, `${colours.green('✓')} ${printable(about)}`);
    else {
      const observations = [...problems, ...flaws.map(({ kind, sentence }) => `${kind}: ${sentence}`)];
      print(terminal, `${colours.red('✗')} ${printable(name)} has ${count(observations.length, 'problem')}.`);
      for (const problem of observations)
        print(terminal, ...wrap(printable(problem), columns).map((line, i) => `${i === 0 ? '  · ' : '    '}${line}`));
    }
    return valid && flaws.length === 0 ? exits.fine : exits.found;
  },
};
