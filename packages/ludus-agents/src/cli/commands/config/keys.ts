/** @file `ludus config keys`: lists keys and their servers, never their values; sets one from standard input, or removes it. */

import { text } from 'node:stream/consumers';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { keys as changeKeys } from '../../../library/setup.ts';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { table } from '../../render/table.ts';
import { print, printJson } from '../../terminal.ts';

export const keys: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
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
    }
    const key = action === 'set' ? (await text(terminal.stdin)).trim() : action === 'remove' ? null : undefined;
    const states = await changeKeys({ name, key }, terminal);
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
