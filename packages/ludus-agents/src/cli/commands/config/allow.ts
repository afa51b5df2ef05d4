/** @file `ludus config allow`: files, addresses and tools that stored and imported data may use on this machine. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { changeConsent, consents } from '@ludus-agents/agents/internal/workspace/consent';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { trustedFolders, trustFolder } from '@ludus-agents/store/internal/folder-trust';
import { homeFolder } from '@ludus-agents/store/internal/own-mark';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

/** A folder is trusted with its settings; anything else is something that data may use. */
function allowOne(typed: string, change: 'add' | 'remove', { cwd, env }: Terminal): string {
  const path = resolve(cwd, typed);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true || Object.hasOwn(trustedFolders({ env }), path);
  return isFolder ? trustFolder({ cwd: path, env }, change) : changeConsent(typed, change, { cwd, env });
}

export const allow: CommandRun = {
  async run({ args, options, terminal }) {
    const [typed] = args;
    const remove = options['remove'] === true;
    if (typed === undefined && remove) throw new Fault('input', 'Name what to revoke. Run "ludus config allow" to see what is allowed.');
    const change = remove ? 'remove' : 'add';
    const changed = typed === undefined ? null : allowOne(typed, change, terminal);
    const allowed = [...consents(terminal), ...Object.keys(trustedFolders(terminal))];
    if (options['json'] === true) printJson(terminal, { allowed, file: homeFolder(terminal) });
    else if (changed !== null) print(terminal, `${printable(changed)} is ${remove ? 'no longer ' : ''}allowed.`);
    else print(terminal, ...(allowed.length === 0 ? ['Data may load no file and call no address yet.'] : allowed.map(printable)));
    return exits.fine;
  },
};
