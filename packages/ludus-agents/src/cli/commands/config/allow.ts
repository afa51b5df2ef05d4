/** @file `ludus config allow`: files, addresses and tools that stored and imported data may use on this machine. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import { homeFolder } from '@ludus-agents/store/internal/own-mark';
import { allow as changeAllowed } from '../../../library/setup.ts';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

export const allow: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const [typed] = args;
    const remove = options['remove'] === true;
    const { allowed, changed } = await changeAllowed({ what: typed, remove }, terminal);
    if (options['json'] === true) printJson(terminal, { allowed, file: homeFolder(terminal) });
    else if (changed !== null) print(terminal, `${printable(changed)} is ${remove ? 'no longer ' : ''}allowed.`);
    else print(terminal, ...(allowed.length === 0 ? ['Data may load no file and call no address yet.'] : allowed.map(printable)));
    return exits.fine;
  },
};
