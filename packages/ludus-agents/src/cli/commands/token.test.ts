/** @file Tokens from the command line: made, listed, rotated and revoked, with every change in the audit log and no secret anywhere. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tokenFinder, tokensFile } from '@ludus-agents/servers/internal/tokens';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

interface Made {
  readonly id: string;
  readonly token: string;
  readonly created: number;
  readonly expires: number | null;
}

describe('ludus config tokens', () => {
  it('creates, lists, rotates, and revokes tokens', async () => {
    const cwd = folder();
    const made = async (...words: string[]) => JSON.parse((await ludus(cwd, ['config', 'tokens', ...words, '--json'])).out) as Made;
    const first = await made('create', '--scope', 'play,read', '--expires', '7d', '--name', 'trainer');
    expect(first).toMatchObject({ scopes: ['read', 'play'], name: 'trainer', expires: first.created + 7 * 86_400_000 });
    const find = tokenFinder(tokensFile(cwd));
    expect(find(first.token)).toEqual({ id: first.id, scopes: ['read', 'play'] });
    const second = await made('rotate', first.id);
    expect([second.id, find(first.token), find(second.token)]).toEqual([first.id, null, { id: first.id, scopes: ['read', 'play'] }]);
    const never = await made('create', '--scope', 'admin', '--expires', 'never');
    expect(never.expires).toBeNull();
    await made('revoke', first.id);
    expect(find(second.token)).toContain('was revoked');
    const { out } = await ludus(cwd, ['config', 'tokens', 'list']);
    expect(out).toMatch(new RegExp(`${first.id} {2}revoked .*\n${never.id} {2}valid .*never expires`));
    const log = readFileSync(join(cwd, '.ludus', 'audit.jsonl'), 'utf8');
    expect([...log.matchAll(/"did":"([^"]+)"/g)].map(([, did]) => did)).toEqual([
      'token create',
      'token rotate',
      'token create',
      'token revoke',
    ]);
    for (const { token } of [first, second, never])
      for (const text of [out, log, readFileSync(tokensFile(cwd), 'utf8')]) expect(text).not.toContain(token);
    if (process.platform !== 'win32') expect(statSync(tokensFile(cwd)).mode & 0o777).toBe(0o600);
  });

  it.each([
    [['create', '--scope', 'everything'], '--scope: expected read, play, spend, admin'],
    [['create', '--scope', ''], '--scope: expected'],
    [['create', '--expires', '0d'], '--expires: expected a duration'],
    [['create', '--expires', 'soon'], '--expires: expected a duration'],
    [['revoke', 'nothing'], 'Token "nothing" not found'],
    [['rotate', 'nothing'], 'Token "nothing" not found'],
  ])('rejects %j with an explanation', async (words, sentence) => {
    const cwd = folder();
    const { code, err } = await ludus(cwd, ['config', 'tokens', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
    expect(existsSync(tokensFile(cwd))).toBe(false);
  });
});
