/** @file A store and an export that version 0.1.0 wrote are read, replayed, scored, exported and continued by this version. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';

const fixture = (name: string) => gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures', name)));

/** A folder with the store of 0.1.0: ten episodes of four environments, two runs, and scores. */
function oldFolder(): string {
  const here = folder();
  mkdirSync(join(here, '.ludus'));
  writeFileSync(join(here, '.ludus', 'ludus.sqlite'), fixture('store-0.1.0.sqlite.gz'), { mode: 0o600 });
  return here;
}

const lines = (text: string) => text.split('\n').filter((row) => row !== '');

describe('a store of version 0.1.0', () => {
  it('lists its runs and episodes', async () => {
    const here = oldFolder();
    const episodes = JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out);
    expect(episodes).toHaveLength(10);
    expect((await ludus(here, ['list', 'runs'])).out).toMatch(/first-steps +6 +6/);
  });

  it.each(['cab66b06', 'f459181d', '4a79f08e', '23ac5f87'])('replays episode %s byte for byte', async (id) => {
    const { code, err } = await ludus(oldFolder(), ['replay', id]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('is valid, accepts new episodes, and continues its run', async () => {
    const here = oldFolder();
    expect((await ludus(here, ['play', 'tic-tac-toe', '--agents', 'random,random', '--seed', '6'])).code).toBe(0);
    const plan = { name: 'first-steps', environments: ['kuhn-poker', { environment: 'dilemma', tasks: [{ game: 'pd' }] }] };
    writeFileSync(join(here, 'plan.json'), JSON.stringify({ ...plan, seeds: 4, casts: [{ '*': 'random' }] }));
    const { code, err } = await ludus(here, ['run', 'plan.json']);
    // Agents of another version are other agents: their episodes are played again, and the command says so.
    expect([code, err]).toEqual([0, expect.stringMatching(/random changed since run first-steps: 6 episodes[\s\S]*8 episodes played/)]);
    expect((await ludus(here, ['replay', 'cab66b06'])).code).toBe(0);
    expect((await ludus(here, ['score', 'first-steps'])).code).toBe(0);
    expect((await ludus(here, ['doctor'])).code).toBe(0);
  });

  it('exports the same events as 0.1.0, and its export can be imported', async () => {
    const here = oldFolder();
    await ludus(here, ['data', 'export', '--format', 'jsonl', '-o', 'all.jsonl']);
    expect(lines(readFileSync(join(here, 'all.jsonl'), 'utf8'))).toEqual(lines(fixture('store-0.1.0.jsonl.gz').toString('utf8')));
    const other = folder();
    writeFileSync(join(other, 'old.jsonl'), fixture('store-0.1.0.jsonl.gz'));
    expect((await ludus(other, ['data', 'import', 'old.jsonl'])).code).toBe(0);
    expect(JSON.parse((await ludus(other, ['list', 'episodes', '--json'])).out)).toHaveLength(10);
  });
});
