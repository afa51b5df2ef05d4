/** @file `ludus allow`: files, addresses and tools that stored and imported data may use on this machine. */

import { Fault, printable } from '../../core/index.ts';
import { changeConsent, consents } from '../../workspace/consent.ts';
import { homeFolder } from '../../workspace/own-mark.ts';
import { type CommandRun, exits } from '../command.ts';
import { print, printJson } from '../terminal.ts';

export const allow: CommandRun = {
  async run({ args, options, terminal }) {
    const [typed] = args;
    const remove = options['remove'] === true;
    if (typed === undefined && remove) throw new Fault('input', 'Name what to take back; "ludus allow" lists what is allowed.');
    const changed = typed === undefined ? null : changeConsent(typed, remove ? 'remove' : 'add', terminal);
    const allowed = consents(terminal);
    if (options['json'] === true) printJson(terminal, { allowed, file: homeFolder(terminal) });
    else if (changed !== null) print(terminal, `${printable(changed)} is ${remove ? 'no longer ' : ''}allowed.`);
    else print(terminal, ...(allowed.length === 0 ? ['Data may load no file and call no address yet.'] : allowed.map(printable)));
    return exits.fine;
  },
};
