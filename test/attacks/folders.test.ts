/** @file A folder that was downloaded: its configuration runs nothing and sends no key, and its tokens and keys are worth nothing, before its user trusts it. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKeys, saveKey } from '@ludus-agents/agents/internal/workspace/keys';
import { digestOf } from '@ludus-agents/servers/internal/access';
import { tokenIn } from '@ludus-agents/servers/internal/studio/index';
import { createToken, tokenFinder, tokensFile } from '@ludus-agents/servers/internal/tokens';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ludus } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';

let base: string;
let cwd: string;
const settings = { LUDUS_HOME: process.env['LUDUS_HOME'], LUDUS_TRUST: process.env['LUDUS_TRUST'] };
const ran = () => existsSync(join(base, 'ran'));
const play = ['play', 'kuhn-poker', '--agents', 'random,random', '--seed', '1'];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ludus-folders-'));
  cwd = join(base, 'downloaded');
  mkdirSync(cwd);
  process.env['LUDUS_HOME'] = join(base, 'home');
  process.env['LUDUS_TRUST'] = '';
});

afterEach(() => {
  Object.assign(process.env, settings);
  delete process.env['OPENAI_API_KEY'];
  rmSync(base, { recursive: true, force: true });
});

function writeProgram(more = ''): void {
  writeFileSync(
    join(cwd, 'ludus.config.mjs'),
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(base, 'ran'))}, '');\nexport default {};\n${more}`,
  );
}

describe('a folder configuration', () => {
  it('runs for no command, help, version, or status before it is trusted', async () => {
    writeProgram();
    for (const args of [
      ['--version'],
      ['--help'],
      [],
      ['help', 'play'],
      ['play', '--help'],
      ['config', 'allow'],
      ['doctor'],
      ['config', 'tokens', 'list'],
    ])
      expect([args, (await ludus(cwd, args)).code]).toEqual([args, 0]);
    for (const args of [play, ['list', 'environments'], ['models'], ['run', 'plan.json'], ['config', 'keys'], ['eval', 'games-core']]) {
      const { code, err } = await ludus(cwd, args);
      expect([args, code, err]).toEqual([args, 2, expect.stringContaining(`"ludus config allow ${cwd}"`)]);
    }
    expect(ran()).toBe(false);
    expect((await ludus(cwd, ['doctor'])).out).toContain('ludus.config.mjs came with the folder and is not used');
    await ludus(cwd, ['config', 'allow', '.']);
    await ludus(cwd, ['doctor']);
    await ludus(cwd, ['--version']);
    expect(ran()).toBe(false);
    expect((await ludus(cwd, play)).code).toBe(0);
    expect(ran()).toBe(true);
  });

  it('needs to be trusted again after a change, a move, or a withdrawal of trust', async () => {
    writeProgram();
    await ludus(cwd, ['config', 'allow', cwd]);
    expect((await ludus(cwd, play)).code).toBe(0);
    writeProgram('// pulled\n');
    expect((await ludus(cwd, play)).code).toBe(2);
    await ludus(cwd, ['config', 'allow', cwd]);
    expect((await ludus(cwd, play)).code).toBe(0);
    const copy = join(base, 'copy');
    cpSync(cwd, copy, { recursive: true });
    expect((await ludus(copy, play)).code).toBe(2);
    expect((await ludus(cwd, ['config', 'allow', cwd, '--remove'])).out).toContain('no longer');
    expect((await ludus(cwd, play)).code).toBe(2);
  });

  it('asks for trust once in an interactive terminal', async () => {
    writeProgram();
    expect((await ludus(cwd, play, { tty: true, typed: 'n\n' })).code).toBe(2);
    expect((await ludus(cwd, play, { tty: true, typed: '\n' })).code).toBe(2);
    expect(ran()).toBe(false);
    expect((await ludus(cwd, play, { tty: true, typed: 'y\n' })).code).toBe(0);
    expect((await ludus(cwd, play)).code).toBe(0);
  });

  it('is trusted if this installation created the data folder or LUDUS_TRUST lists the folder', async () => {
    expect((await ludus(cwd, play)).code).toBe(0);
    writeFileSync(join(cwd, 'ludus.config.json'), '{"budget":{"calls":5}}');
    expect(await ludus(cwd, play)).toMatchObject({ code: 0, err: '' });
    // The mark is of this folder on this machine: a copy, or another installation, does not have it.
    const copy = join(base, 'copy');
    cpSync(cwd, copy, { recursive: true });
    expect((await ludus(copy, play)).code).toBe(2);
    process.env['LUDUS_HOME'] = join(base, 'another-home');
    expect((await ludus(cwd, play)).code).toBe(2);
    process.env['LUDUS_TRUST'] = base;
    expect((await ludus(copy, play)).code).toBe(0);
  });

  it('is not trusted because of a data folder that was created later', async () => {
    writeProgram();
    await ludus(cwd, ['config', 'tokens', 'create', '--scope', 'read']);
    expect(existsSync(join(cwd, '.ludus'))).toBe(true);
    expect((await ludus(cwd, play)).code).toBe(2);
    expect(ran()).toBe(false);
  });

  it('sends a well-known key only to its host, even when trusted', async () => {
    const received: string[] = [];
    const server: Server = createServer((request, response) => {
      received.push(`${request.url} ${JSON.stringify(request.headers)}`);
      response.end('{"data":[{"id":"m"}]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    process.env['OPENAI_API_KEY'] = 'sk-of-the-victim';
    for (const key of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY']) {
      writeFileSync(join(cwd, 'ludus.config.json'), JSON.stringify({ model: 'mine', endpoints: { mine: { url, key } } }));
      await ludus(cwd, ['config', 'allow', cwd]);
      const { code, err } = await ludus(cwd, ['play', 'kuhn-poker', '--first', 'llm', '--second', 'random']);
      expect([code, err]).toEqual([2, expect.stringContaining(`${key} is sent to`)]);
    }
    expect(received).toEqual([]);
    server.close();
  });
});

describe('data that came with a folder', () => {
  const planted = 'ludus_a-token-that-the-author-of-the-folder-knows';

  it('grants no access through a planted token file and prints a warning', () => {
    const file = tokensFile(cwd);
    mkdirSync(join(cwd, '.ludus'));
    const record = { id: 'abcd1234', name: '', scopes: ['admin'], created: 0, expires: null, revoked: null };
    const hash = digestOf(planted).toString('hex');
    for (const mark of [undefined, 'f'.repeat(64)]) {
      writeFileSync(file, JSON.stringify([{ ...record, hash, ...(mark === undefined ? {} : { mark }) }]));
      expect(tokenFinder(file)(planted)).toBeNull();
    }
    // A token of another folder of this installation is none here, and one of this folder keeps its scopes.
    const { token, record: tokenRecord } = createToken(tokensFile(join(base, 'other')), { scopes: ['read'], lifetime: null }, 0);
    writeFileSync(file, JSON.stringify([tokenRecord]));
    expect(tokenFinder(file)(token)).toBeNull();
    rmSync(file);
    const issuedToken = createToken(file, { scopes: ['read'], lifetime: null }, 0);
    expect(tokenFinder(file)(issuedToken.token)).toMatchObject({ scopes: ['read'] });
    writeFileSync(file, JSON.stringify([{ ...issuedToken.record, scopes: ['admin'] }]));
    expect(tokenFinder(file)(issuedToken.token)).toBeNull();
  });

  it("does not provide the owner's token", () => {
    mkdirSync(join(cwd, '.ludus'));
    writeFileSync(join(cwd, '.ludus', 'studio.token'), `${planted}\n`);
    const place = { cwd, env: {} };
    const token = tokenIn(place);
    expect(token).not.toBe(planted);
    expect(tokenIn(place)).toBe(token);
  });

  it('does not provide API keys', () => {
    mkdirSync(join(cwd, '.ludus'));
    writeFileSync(join(cwd, '.ludus', 'keys.json'), '{"OPENAI_API_KEY":"sk-of-the-author"}', { mode: 0o600 });
    const env: Record<string, string | undefined> = {};
    expect(loadKeys({ cwd, env })).toContain('are not used');
    expect(env['OPENAI_API_KEY']).toBeUndefined();
    // A key that the user keeps there is used, without those that came along.
    saveKey({ cwd, env }, 'ANTHROPIC_API_KEY', 'sk-mine');
    const later: Record<string, string | undefined> = {};
    expect(loadKeys({ cwd, env: later })).toBeNull();
    expect(later).toEqual({ ANTHROPIC_API_KEY: 'sk-mine' });
  });
});
