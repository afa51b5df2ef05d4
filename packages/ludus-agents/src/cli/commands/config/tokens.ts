/** @file `ludus config tokens create`, `list`, `revoke` and `rotate`. Every change is in the audit log. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { type AccessScope, scopes } from '@ludus-agents/servers/internal/access';
import { auditFile, openAuditLog } from '@ludus-agents/servers/internal/audit-log';
import {
  createToken,
  type IssuedToken,
  isOurs,
  readTokens,
  revokeToken,
  rotateToken,
  type TokenRecord,
  tokensFile,
} from '@ludus-agents/servers/internal/tokens';
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
    const wanted = {
      scopes: scopesIn(options.scope ?? ''),
      lifetime: lifetimeIn(options.expires ?? ''),
      name: (options.name ?? '').slice(0, 80),
    };
    const issued = createToken(tokensFile(terminal.cwd), wanted, Date.now());
    note(terminal, 'token create', issued.record);
    return tell(terminal, options, issued);
  },
};

export const list: CommandRun<Options> = {
  async run({ options, terminal }) {
    const file = tokensFile(terminal.cwd);
    const now = Date.now();
    const visible = readTokens(file).map((record) => {
      const { hash: _, mark: __, ...rest } = record;
      return { ...rest, state: isOurs(file, record) ? stateOf(record, now) : 'foreign' };
    });
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
    const { hash: _, mark: __, ...record } = revokeToken(tokensFile(terminal.cwd), args[0]!, Date.now());
    note(terminal, 'token revoke', record);
    if (options.json === true) printJson(terminal, record);
    else print(terminal, `Token ${record.id} is refused from now on.`);
    return exits.fine;
  },
};

export const rotate: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const issued = rotateToken(tokensFile(terminal.cwd), args[0]!, Date.now());
    note(terminal, 'token rotate', issued.record);
    return tell(terminal, options, issued);
  },
};

function tell(terminal: Terminal, { json }: Options, { record, token }: IssuedToken): number {
  const { hash: _, ...shown } = record;
  if (json === true) printJson(terminal, { ...shown, token });
  else
    print(
      terminal,
      token,
      `Token ${record.id} may ${record.scopes.join(', ')}; ${until(record.expires)}. It is shown only once: only its hash is stored.`,
    );
  return exits.fine;
}

function note({ cwd }: Terminal, did: string, { id, scopes: current }: Pick<TokenRecord, 'id' | 'scopes'>): void {
  const log = openAuditLog(auditFile(cwd));
  log.write({ who: 'owner', address: 'command line', did, path: `${id} ${current.join(',')}`, status: 200 });
  log.close();
}

function stateOf({ expires, revoked }: Omit<TokenRecord, 'hash'>, now: number): string {
  if (revoked !== null) return 'revoked';
  return expires !== null && expires <= now ? 'expired' : 'valid';
}

function until(expires: number | null): string {
  return expires === null ? 'never expires' : `until ${new Date(expires).toISOString().slice(0, 16)}Z`;
}

function scopesIn(text: string): readonly AccessScope[] {
  const names = text.split(',').map((item) => item.trim());
  const wrong = names.find((name) => !(scopes as readonly string[]).includes(name));
  if (wrong !== undefined) throw new Fault('input', `--scope: expected ${scopes.join(', ')}, separated by commas, got "${wrong}".`);
  return names as unknown as readonly AccessScope[];
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
