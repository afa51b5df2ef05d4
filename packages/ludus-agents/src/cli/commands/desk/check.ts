/** @file `ludus desk check`: proves the cases of a desk solvable, finds those that pass by themselves, and reads its policy. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { check as checkDesk } from '../../../library/desk.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

export const check: CommandRun = {
  async run({ args, options, terminal }) {
    const deskCheck = await checkDesk({ desk: args[0] }, terminal);
    const problems = deskCheck.findings.filter(({ level }) => level === 'problem' || options['strict'] === true);
    if (options['json'] === true) printJson(terminal, { fine: problems.length === 0, ...deskCheck });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      const probes = Object.entries(deskCheck.probes).map(([name, much]) => `${name} ${much}`);
      print(
        terminal,
        `${problems.length === 0 ? colours.green('✓') : colours.red('✗')} ${printable(deskCheck.desk)}: ${deskCheck.solvable} of ${count(deskCheck.cases, 'case')} can be solved by their gold calls`,
        ...deskCheck.findings.map(
          ({ level, case: item, says }) =>
            `  ${level === 'problem' ? colours.red('✗') : colours.yellow('·')} ${item === null ? '' : `${printable(item)}: `}${printable(says)}`,
        ),
        `  ${colours.faint(`Cases made to find faults: ${probes.join(', ') || 'none'}.`)}`,
      );
    }
    return problems.length === 0 ? exits.fine : exits.found;
  },
};
