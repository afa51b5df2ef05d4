/** @file `ludus config tokens create`, `list`, `revoke` and `rotate`. Every change is in the audit log. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { createAccess, listAccess, type NewAccessToken, revokeAccess, rotateAccess } from '../../../library/setup.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly scope?: string;
  readonly expires?: string;
  readonly name?: string;
  readonly json?: boolean;
}

export const create: CommandRun<Options> = {
  async run({ options, terminal }) {
    const names = (options.scope ?? '').split(',').map((item) => item.trim());
    const request = { scopes: names, lifetime: lifetimeIn(options.expires ?? ''), name: options.name };
    return tell(terminal, options, await createAccess(request, terminal));
  },
};

export const list: CommandRun<Options> = {
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

export const revoke: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const record = await revokeAccess({ id: args[0] }, terminal);
    if (options.json === true) printJson(terminal, record);
    else print(terminal, `Token ${record.id} is refused from now on.`);
    return exits.fine;
  },
};

export const rotate: CommandRun<Options> = {
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
