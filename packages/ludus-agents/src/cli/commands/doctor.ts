/** @file `ludus doctor`: checks the installation, the folder and the store, and names what is wrong. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { DoctorLine, DoctorOptions } from '../../doctor.ts';
import { doctor as checkInstallation } from '../../library/setup.ts';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { print, printJson } from '../terminal.ts';

export const doctor: CommandRun = {
  async run({ options, terminal }) {
    const lines = await checkInstallation(options as DoctorOptions, terminal);
    const bad = lines.filter(({ state }) => state === 'bad').length;
    if (options['json'] === true) printJson(terminal, { fine: bad === 0, lines });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      const marks: Readonly<Record<DoctorLine['state'], string>> = {
        fine: colours.green('✓'),
        note: colours.yellow('·'),
        bad: colours.red('✗'),
      };
      const widest = Math.max(...lines.map(({ name }) => name.length));
      print(terminal, ...lines.map(({ name, state, text }) => `${marks[state]} ${name.padEnd(widest)} ${printable(text)}`));
    }
    return bad === 0 ? exits.fine : exits.found;
  },
};
