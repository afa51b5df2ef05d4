/** @file `ludus config keys`: lists keys and their servers, never their values; sets one from standard input, or removes it. */

import { text } from 'node:stream/consumers';
import { originOf } from '@ludus-agents/agents/internal/models/key-origins';
import { keyStates, saveKey } from '@ludus-agents/agents/internal/workspace/keys';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { print, printJson } from '../../terminal.ts';

export const keys: CommandRun = {
  async run({ args, options, terminal }) {
    const [action = 'list', name] = args;
    const actions = ['list', 'set', 'remove'];
    if (!actions.includes(action))
      throw new Fault(
        'input',
        `Unknown action "${action}". "ludus config keys" supports list, set, and remove.${didYouMean(action, actions)}`,
      );
    if (action !== 'list' && name === undefined)
      throw new Fault(
        'input',
        `Name the key, for example "ludus config keys ${action} https://models.example.org" or "ludus config keys ${action} OPENAI_API_KEY".`,
      );
    if (action === 'set') {
      if (terminal.stdin.isTTY === true)
        throw new Fault(
          'input',
          `The key is read from standard input to keep it out of your shell history: ludus config keys set ${name} < key.txt`,
        );
      saveKey(terminal, nameOf(name as string), (await text(terminal.stdin)).trim());
    } else if (action === 'remove') saveKey(terminal, nameOf(name as string), null);
    const states = keyStates(terminal);
    if (options['json'] === true) printJson(terminal, states);
    else {
      const rows = states.map(({ name: key, about, from }) => [key, from ?? 'not set', about]);
      print(
        terminal,
        table([{ title: 'key' }, { title: 'from' }, { title: 'for', flexible: 'wrap' }], rows, {
          colours: coloursFor(terminal.stdout, terminal.env),
        }),
      );
    }
    return exits.fine;
  },
};

/** An address with a path means its origin. */
function nameOf(written: string): string {
  return originOf(written) ?? written;
}
