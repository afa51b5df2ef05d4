/** @file `ludus config`: API keys, access tokens, and permissions. */

import { text } from 'node:stream/consumers';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { homeFolder } from '@ludus-agents/store/internal/own-mark';
import type { NewAccessToken } from '../../library/setup.ts';
import { allow as changeAllowed, keys as changeKeys, createAccess, listAccess, revokeAccess, rotateAccess } from '../../library/setup.ts';
import { type CommandRun, exits, type OptionalArguments } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { table } from '../render/table.ts';
import { print, printJson, type Terminal } from '../terminal.ts';

/** `ludus config allow`: files, addresses and tools that stored and imported data may use on this machine. */
export const allow: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const [typed] = args;
    const remove = options['remove'] === true;
    const { allowed, changed } = await changeAllowed({ what: typed, remove }, terminal);
    if (options['json'] === true) printJson(terminal, { allowed, file: homeFolder(terminal) });
    else if (changed !== null) print(terminal, `${printable(changed)} is ${remove ? 'no longer ' : ''}allowed.`);
    else
      print(
        terminal,
        ...(allowed.length === 0 ? ['No permissions yet: stored data can’t load files or call addresses.'] : allowed.map(printable)),
      );
    return exits.fine;
  },
};

/** `ludus config keys`: lists keys and their servers, never their values; sets one from standard input, or removes it. */
export const keys: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const [action = 'list', name] = args;
    const actions = ['list', 'set', 'remove'];
    if (!actions.includes(action))
      throw new Fault(
        'input',
        `Unknown action "${action}". "ludus config keys" supports list, set, and remove.${didYouMean(action, actions)}`,
        { code: 'E_UNKNOWN_NAME' },
      );
    if (action !== 'list' && name === undefined)
      throw new Fault(
        'input',
        `Name the key, for example "ludus config keys ${action} https://models.example.org" or "ludus config keys ${action} OPENAI_API_KEY".`,
        { code: 'E_MISSING_OPTION' },
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

interface Options {
  readonly scope?: string;
  readonly expires?: string;
  readonly name?: string;
  readonly json?: boolean;
}

export const createToken: CommandRun<Options> = {
  async run({ options, terminal }) {
    const names = (options.scope ?? '').split(',').map((item) => item.trim());
    const request = { scopes: names, lifetime: lifetimeIn(options.expires ?? ''), name: options.name };
    return tell(terminal, options, await createAccess(request, terminal));
  },
};

export const listTokens: CommandRun<Options> = {
  async run({ options, terminal }) {
    const visible = await listAccess({}, terminal);
    if (options.json === true) printJson(terminal, visible);
    else if (visible.length === 0)
      print(terminal, 'No tokens besides the one that servers print. Create one with "ludus config tokens create".');
    else
      print(
        terminal,
        ...visible.map(
          (item) => `${item.id}  ${item.state.padEnd(8)}  ${item.scopes.join(',').padEnd(16)}  ${until(item.expires)}  ${item.name}`,
        ),
      );
    return exits.fine;
  },
};

export const revokeToken: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const record = await revokeAccess({ id: args[0] }, terminal);
    if (options.json === true) printJson(terminal, record);
    else print(terminal, `Token ${record.id} is refused from now on.`);
    return exits.fine;
  },
};

export const rotateToken: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    return tell(terminal, options, await rotateAccess({ id: args[0] }, terminal));
  },
};

function tell(terminal: Terminal, { json }: Options, issued: NewAccessToken): number {
  const { token, ...record } = issued;
  if (json === true) printJson(terminal, { ...record, token });
  else
    print(
      terminal,
      token,
      `Token ${record.id} may ${record.scopes.join(', ')}; ${until(record.expires)}. It is shown only once: only its hash is stored.`,
    );
  return exits.fine;
}

function until(expires: number | null): string {
  return expires === null ? 'never expires' : `until ${new Date(expires).toISOString().slice(0, 16)}Z`;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; null for never. */
export function lifetimeIn(text: string): number | null {
  if (text === 'never') return null;
  const [, number, unit] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? [];
  const lifetime = Number(number) * (units[unit ?? ''] ?? Number.NaN);
  if (lifetime > 0) return lifetime;
  throw new Fault('input', `--expires: expected a duration such as 30m, 12h, or 7d, or never, got "${text}".`);
}
