/** @file Agents of one's own are kept with the episodes that they play, and act again by themselves only where they are still what played. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { trustOf } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { nameOf } from '@ludus-agents/kernel/internal/core/index';
import { LiveEpisodes } from '@ludus-agents/servers/internal/studio/live-episodes';
import { memoryStore, openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import { folder, ludus } from '../terminal.cases.ts';

const firstMove = `export default { name: 'greedy', act: ({ ask }) => ({ action: { text: ask.choices[0] } }) };\n`;
const spec = { name: 'crew', kind: 'team', settings: { protocol: 'in-order', members: ['scripted:minimax', 'random'] } };
const brief = ['--at', '10', '--samples', '1', '--games', '1', '--moves', '1', '--json'];

async function played(cwd: string, words: readonly string[]): Promise<{ episode: string; run?: string }> {
  const { code, out, err } = await ludus(cwd, ['play', ...words, '--seed', '2', '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('the agents of an episode', () => {
  it('are restored from documents and unchanged programs, including in a fork', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'crew.json'), JSON.stringify(spec));
    writeFileSync(join(cwd, 'greedy.mjs'), firstMove);
    const { episode, run } = await played(cwd, ['tic-tac-toe', '--agents', './crew.json,./greedy.mjs']);
    expect(run).toMatch(/^play-tic-tac-toe-/);
    rmSync(join(cwd, 'crew.json'));
    const forked = await ludus(cwd, ['fork', episode, '--at', '10', '--json']);
    expect(JSON.parse(forked.out)).toMatchObject({ run, cast: { X: 'crew', O: 'greedy' } });
    const explained = await ludus(cwd, ['show', 'explain', JSON.parse(forked.out).episode, ...brief]);
    expect([explained.code, explained.err, JSON.parse(explained.out).members.length]).toEqual([0, '', 2]);
    writeFileSync(join(cwd, 'greedy.mjs'), `${firstMove}// another\n`);
    for (const words of [
      ['show', 'explain', episode, ...brief],
      ['fork', episode, '--at', '10'],
    ]) {
      const refused = await ludus(cwd, words);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('./greedy.mjs was changed or deleted')]);
    }
    expect((await ludus(cwd, ['show', 'explain', episode, ...brief, '--O', './greedy.mjs'])).code).toBe(0);
    // Names need no run, and their logs are what they were.
    expect((await played(cwd, ['tic-tac-toe', '--agents', 'scripted:minimax,random'])).run).toBeUndefined();
  });

  it('are called again as they were in scenes, except for people', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'scene.json'), JSON.stringify({ setting: 'A dinner.', characters: ['innkeeper', 'villain'], turns: 6 }));
    const { episode } = JSON.parse((await ludus(cwd, ['play', 'scene', 'scene.json', '--seed', '1', '--json'])).out);
    const explained = await ludus(cwd, ['show', 'explain', episode, '--at', '0', '--samples', '1', '--games', '0', '--json']);
    expect(JSON.parse(explained.out).again).toBe(1);
    const typed = '0\n1\n2\n3\n4\n5\n6\n7\n8\n';
    const mine = await ludus(cwd, ['play', 'tic-tac-toe', '--me', 'X', '--O', 'scripted:minimax', '--seed', '1', '--json'], { typed });
    const { episode: own } = JSON.parse(mine.out);
    const outcome = await ludus(cwd, ['show', 'explain', own, '--at', '5', '--samples', '1', '--games', '1', '--json']);
    expect(JSON.parse(outcome.out)).toMatchObject({ seat: 'O', again: 1, standIns: { X: 'random' } });
    expect((await ludus(cwd, ['show', 'explain', own, '--at', '4'])).err).toContain('A person played X');
  });

  it('do not act on their own when imported', async () => {
    const [from, to] = [folder(), folder()];
    for (const cwd of [from, to]) writeFileSync(join(cwd, 'greedy.mjs'), firstMove);
    const { episode } = await played(from, ['tic-tac-toe', '--agents', 'random,./greedy.mjs']);
    expect((await ludus(from, ['data', 'export', '-o', join(to, 'all.jsonl')])).code).toBe(0);
    expect((await ludus(to, ['data', 'import', 'all.jsonl'])).code).toBe(0);
    const refused = await ludus(to, ['show', 'explain', episode, ...brief]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('wants to read ./greedy.mjs. If you trust it, run "ludus config allow'),
    ]);
    expect((await ludus(from, ['show', 'explain', episode, ...brief])).code).toBe(0);
  });

  it('are restored for arenas and with rules from a file', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'greedy.mjs'), firstMove);
    const ranked = await ludus(cwd, ['arena', 'tic-tac-toe', '--agents', './greedy.mjs,random', '--games', '2', '--json']);
    const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
    const [first] = await store.episodes({ run: JSON.parse(ranked.out).run, limit: 1 });
    await store.close();
    expect((await ludus(cwd, ['fork', first!.id, '--at', '10', '--json'])).code).toBe(0);
    writeFileSync(
      join(cwd, 'coin.mjs'),
      `export const coin = { id: 'coin@1', about: { summary: 'One move.', tasks: [{}] }, parameters: {}, task: () => ({}), seats: () => ['a'],
        start: () => ({ state: {}, messages: [], asks: [{ seat: 'a', choices: ['[x]', '[y]'] }] }),
        step: () => ({ state: {}, messages: [], asks: [], rewards: { a: 1 } }) };`,
    );
    const { episode } = await played(cwd, ['./coin.mjs', '--agents', 'random']);
    expect((await ludus(cwd, ['replay', episode])).out).toContain('Identical');
    writeFileSync(join(cwd, 'coin.mjs'), 'export const coin = 1;');
    expect((await ludus(cwd, ['replay', episode])).err).toContain('Unknown environment "coin@1"');
  });

  it('are the original ones for forks in the studio and in the terminal', async () => {
    const cwd = folder();
    const env = { LUDUS_HOME: join(cwd, 'home') };
    writeFileSync(join(cwd, 'crew.json'), JSON.stringify(spec));
    const store = await openStore(join(cwd, 'studio.sqlite'));
    const live = new LiveEpisodes(store, { cwd, env });
    await live.takeUp();
    const episode = await live.begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: './crew.json', O: 'random' } });
    writeFileSync(join(cwd, 'crew.json'), JSON.stringify({ ...spec, name: 'others' }));
    const branch = await live.fork(episode, { at: 1 });
    const { episode: rematch } = await live.again(episode, true);
    expect((await store.episode(branch))?.cast).toEqual({ X: 'crew', O: 'random' });
    expect((await store.episode(rematch))?.cast).toEqual({ X: 'random', O: 'crew' });
    expect(await store.specs()).toHaveLength(1);
    for (const item of [episode, branch, rematch]) await until(async () => (await store.episode(item))?.status === 'over');
    await live.close();
    await store.close();
    const words = ['show', 'explain', episode, ...brief, '--store', 'studio.sqlite'];
    expect((await ludus(cwd, words, { env })).code).toBe(0);
    // The same journal without the marks of this installation is data.
    rmSync(join(cwd, '.ludus', 'begun'));
    expect((await ludus(cwd, words, { env })).err).toContain('Unknown agent "crew"');
  });
});

describe('a key in a spec', () => {
  it('is not stored and must be entered again, unlike variables and blank values', async () => {
    const environment = nameOf(await builtInEnvironment('chat'));
    const place = { cwd: folder(), env: {} };
    const bot = (authorization: string) => ({
      name: 'shop',
      kind: 'bot',
      settings: { url: 'http://me:hush@127.0.0.1:9/chat?api_key=hush', headers: { authorization }, request: { token: '{session}' } },
    });
    const keep = async (authorization: string) => {
      const store = memoryStore();
      const run = { kind: 'play', title: 'shop', environment, task: {}, seed: 1, cast: { user: bot(authorization) } };
      const id = await putCastRun(store, run, { place });
      return { id, spec: (await store.run(id))!.plan.casts[0]!['user']! };
    };
    const written = await keep('Bearer hush');
    expect(JSON.stringify(written.spec)).not.toContain('hush');
    expect(() => trustOf(written.spec, written.id, place)).toThrow('A key of the agent "shop" was not saved');
    // Negative control: anything but a key stays, and the same spec without keys may act again.
    const named = await keep(`Bearer \${SHOP_TOKEN}`);
    expect(named.spec).toMatchObject({
      settings: { headers: { authorization: `Bearer \${SHOP_TOKEN}` }, request: { token: '{session}' } },
    });
    const plain = { ...bot(''), settings: { url: 'http://127.0.0.1:9/chat' } };
    const store = memoryStore();
    const run = { kind: 'play', title: 'shop', environment, task: {}, seed: 1, cast: { user: plain } };
    expect(trustOf(plain, await putCastRun(store, run, { place }), place)).toBe(Trust.commandLine);
    expect(() => trustOf(plain, 'another-run', place)).toThrow('ludus config allow http://127.0.0.1:9');
  });
});
