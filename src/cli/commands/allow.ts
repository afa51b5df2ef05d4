/** @file `ludus allow`: files, addresses and tools that stored and imported data may use on this machine. */

import { Fault, printable } from '../../core/index.ts';
import { changeConsent, consents } from '../../workspace/consent.ts';
import { homeFolder } from '../../workspace/own-mark.ts';
import { type CommandFile, examples, exits, withJson } from '../command.ts';
import { print, printJson } from '../terminal.ts';

export const allow: CommandFile = {
  declare(command) {
    command
      .argument(
        '[what]',
        'a file that may be loaded as code or read, the address of a server, hf:REPO, tools:NAME, or cmd:COMMAND and env:NAME of a bot; without it, what is allowed',
      )
      .option('--remove', 'take it back');
    withJson(command);
    examples(command, {
      'ludus allow ./worlds/harbour.mjs': 'logs and jobs that name this world may load it',
      'ludus allow http://localhost:8000': 'agents from an import may call this server',
      'ludus allow tools:desk': 'agents from an import may use this toolbox of LUDUS_TOOLS',
      'ludus allow "cmd:node bot.js"': 'bots from an import or a shared store may run this command',
      'ludus allow env:SHOP_TOKEN': 'and be given this variable',
      'ludus allow http://localhost:8000 --remove': 'no longer',
    });
    command.addHelpText(
      'after',
      '\nWhat you type yourself, or a plan that you name, needs no such leave;\ndata from imports, logs and journals does.\nThe list is kept in LUDUS_HOME (~/.config/ludus).',
    );
  },

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
