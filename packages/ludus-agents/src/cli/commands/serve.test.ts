/** @file The doors from the command line: opened, announced, used and closed again by Ctrl-C. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { folder, ludus, type Outcome } from '../terminal.cases.ts';

interface Announced {
  readonly url: string;
  readonly token: string | null;
  readonly doors: Readonly<Record<string, string>>;
}

/** Serves, lets `use` come in once the doors are open, then presses Ctrl-C. */
async function serving(cwd: string, words: readonly string[], use: (announced: Announced) => Promise<void>): Promise<Outcome> {
  let used: Promise<void> = Promise.resolve();
  const outcome = await ludus(cwd, ['serve', ...words, '--port', '0', '--json'], {
    during(interrupt, written) {
      used = written(/\{.*\}\n/)
        .then((line) => use(JSON.parse(line) as Announced))
        .finally(interrupt);
    },
    env: { LUDUS_TOKEN: token },
  });
  await used;
  return outcome;
}

/** What the environment of these servers names as the owner's token. */
const token = 'a-token-that-only-we-know';
const headers = { authorization: `Bearer ${token}` };

/** One exchange over a socket. */
function exchange(url: string, frame: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on('open', () => socket.send(JSON.stringify(frame)));
    socket.on('error', reject);
    socket.on('message', (data) => {
      resolve(data.toString());
      socket.close();
    });
  });
}

/** An environment of a user. */
const sticks = `export const sticks = {
  id: 'sticks@1', about: { summary: 'One player takes sticks.', tasks: [{}] }, parameters: {}, task: () => ({}), seats: () => ['a'],
  start: () => ({ state: {}, messages: [], asks: [{ seat: 'a' }] }), step: (state) => ({ state, messages: [], asks: [] }), knows: () => ({}),
};`;

const reset = { type: 'reset', data: { seed: 1 } };

describe('ludus serve', () => {
  it('serves OpenEnv, stores episodes, and closes on Ctrl-C', async () => {
    const cwd = folder();
    const { code, out } = await serving(cwd, ['openenv', 'kuhn-poker', '--opponents', 'scripted:bold'], async ({ url }) => {
      const ws = url.replace('http', 'ws');
      expect(await exchange(`${ws}/openenv/tic-tac-toe/ws`, reset)).toContain('You are X');
      expect(await exchange(`${ws}/ws`, reset)).toContain('Kuhn poker');
      expect(await (await fetch(`${url}/schema`, { headers })).json()).toHaveProperty('action');
      expect(await (await fetch(`${url}/schema?token=${token}`)).json()).toHaveProperty('action');
      expect((await fetch(`${url}/schema`)).status).toBe(401);
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ doors: { openenv: expect.stringContaining('http://127.0.0.1:') } });
    const listed = JSON.parse((await ludus(cwd, ['list', 'episodes', '--json'])).out) as { run: string; cast: object }[];
    expect(listed.map(({ cast }) => cast)).toEqual(expect.arrayContaining([{ first: 'openenv', second: 'scripted:bold' }]));
    expect(new Set(listed.map(({ run }) => run))).toEqual(new Set(['openenv']));
  });

  it('saves running episodes when a container is stopped', async () => {
    const cwd = folder();
    const main = join(import.meta.dirname, '..', 'main.ts');
    const words = ['serve', 'openenv', 'tic-tac-toe', '--port', '0', '--json'];
    const start = `import(${JSON.stringify(main)}).then(({ main }) => main(${JSON.stringify(words)})).then((code) => { process.exitCode = code; })`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', start], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    const { url, token: result } = JSON.parse(String(await new Promise((resolve) => child.stdout.once('data', resolve)))) as Announced;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?token=${result}`);
    socket.on('open', () => socket.send(JSON.stringify(reset)));
    await new Promise((resolve) => socket.once('message', resolve));
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
    const [episode] = JSON.parse((await ludus(cwd, ['list', 'episodes', '--json'])).out) as { status: string }[];
    expect(episode?.status).toBe('abort');
  });

  it('serves every route on one port, with the studio at its root', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'ann.json'), JSON.stringify({ ...gallery['villain'], id: 'ann', name: 'Ann' }));
    writeFileSync(join(cwd, 'sticks.mjs'), sticks);
    writeFileSync(join(cwd, 'ludus.config.json'), JSON.stringify({ kinds: { environments: { mine: './sticks.mjs' } } }));
    const { code, out } = await serving(cwd, ['all', '--persona', 'ann.json'], async ({ url }) => {
      // What is the user's own is served like what comes along.
      expect(await (await fetch(`${url}/openenv/mine/metadata`, { headers })).text()).toContain('One player takes sticks');
      expect(await (await fetch(`${url}/a2a/ann/.well-known/agent-card.json`, { headers })).json()).toMatchObject({ name: 'Ann' });
      expect(await exchange(`${url.replace('http', 'ws')}/openenv/tic-tac-toe/ws`, reset)).toContain('You are X');
      expect(await (await fetch(`${url}/schema`, { headers })).json()).toHaveProperty('action');
      expect((await fetch(`${url}/api/home`)).status).toBe(401);
      expect((await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
      expect(await (await fetch(`${url}/a2a`, { headers })).text()).toContain('supportedInterfaces');
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
      const observation = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      expect(await (await fetch(`${url}/mcp`, { method: 'POST', body, headers: observation })).text()).toContain('resign');
    });
    expect(code).toBe(0);
    expect((await ludus(cwd, ['list', 'environments'])).out).toMatch(/mine +a +One player takes sticks/);
    expect(Object.keys((JSON.parse(out) as Announced).doors)).toEqual(expect.arrayContaining(['studio', 'openenv', 'mcp', 'a2a', 'proxy']));
  });

  it('explains invalid options', async () => {
    const cwd = folder();
    const wrong: readonly [readonly string[], string][] = [
      [['openenv', 'shogi'], 'Unknown environment "shogi"'],
      [['openenv', './nothing.ts'], 'File not found'],
      [['openenv', '--port', '70000'], '--port: expected an integer'],
      [['openenv', '--sessions', '0'], '--sessions: expected an integer'],
      [['mcp', '--stdio', 'shogi'], 'Unknown environment "shogi"'],
      [['sites', '--task', 'x'], '--task: expected a task as JSON'],
      [['sites', '--pages', './nowhere'], 'is not a folder'],
      [['nothing'], 'serve'],
    ];
    for (const [words, sentence] of wrong) {
      const { code, err } = await ludus(cwd, ['serve', ...words]);
      expect([words, code]).toEqual([words, 2]);
      expect(err).toContain(sentence);
    }
    for (const part of ['openenv', 'mcp', 'a2a', 'sites', 'all']) {
      const { out } = await ludus(cwd, ['serve', part, '--help'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
      expect(out).toContain('Examples:');
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    }
  });
});
