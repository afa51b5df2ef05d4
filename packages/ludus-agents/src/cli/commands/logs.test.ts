/** @file What is kept can be listed, shown, replayed and branched, by the first letters of its id; nothing it says can steer the screen. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EpisodeEvent, EpisodeRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
let id = '';

async function json<T>(...words: string[]): Promise<T> {
  const { code, out, err } = await ludus(here, [...words, '--json']);
  expect({ code, err }, words.join(' ')).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

async function store<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const opened = await openStore(join(here, '.ludus', 'ludus.sqlite'));
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

beforeAll(async () => {
  id = (await json<{ episode: string }>('play', 'kuhn-poker', '--watch', '--seed', '1', '--task', '{"rounds":3}')).episode;
});

describe('list', () => {
  it('prints everything as JSON', async () => {
    expect(await json('list')).toMatchObject({ runs: 0, episodes: 1 });
    const names = (await json<{ name: string; seats: string[] }[]>('list', 'environments')).map(({ name }) => name);
    expect(names).toContain('kuhn-poker');
    expect(await json<object[]>('list', 'agents')).toContainEqual({ name: 'random', about: expect.any(String) });
    expect(await json<object[]>('list', 'model')).toContainEqual({ name: 'fake', about: expect.any(String) });
    expect((await json<EpisodeRecord[]>('list', 'episodes')).map((row) => row.id)).toEqual([id]);
    expect(await json('list', 'episodes', '--status', 'error')).toEqual([]);
    expect(await json('list', 'runs')).toEqual([]);
  });

  it('accepts an environment by name or id, and reports an unknown one', async () => {
    for (const environment of ['kuhn-poker', 'kuhn-poker@1'])
      expect((await json<EpisodeRecord[]>('list', 'episodes', '--environment', environment)).map((row) => row.id)).toEqual([id]);
    for (const environment of ['leduc', 'kuhn-poker@7']) expect(await json('list', 'episodes', '--environment', environment)).toEqual([]);
    expect((await ludus(here, ['data', 'export', '--environment', 'kuhn-poker'])).out).toContain(id);
    expect((await ludus(here, ['data', 'export', '--environment', 'leduc'])).out).not.toContain(id);
    const { code, err } = await ludus(here, ['list', 'episodes', '--environment', 'kuhn-pokr']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('Did you mean "kuhn-poker"?') });
  });

  it('prints tables no wider than the screen', async () => {
    for (const what of ['environments', 'agents', 'models', 'episodes']) {
      const { out } = await ludus(here, ['list', what], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
      expect(out.split('\n').length).toBeGreaterThan(2);
      expect(Math.max(...out.split('\n').map((line) => line.length)), what).toBeLessThanOrEqual(80);
    }
    expect((await ludus(here, ['list', 'episodes'])).out).toContain(id.slice(0, 8));
  });

  it('reports an empty store instead of failing', async () => {
    const empty = folder();
    expect((await ludus(empty, ['list', 'episodes'])).out).toContain('No such episodes yet. Create some with "ludus play"');
    expect((await ludus(empty, ['list', 'runs', '--json'])).out).toBe('[]\n');
    expect((await ludus(empty, ['list', '--json'])).code).toBe(0);
  });
});

describe('show', () => {
  it('prints an episode with the event numbers for fork', async () => {
    const { out } = await ludus(here, ['show', id.slice(0, 6)]);
    expect(out).toMatch(/^kuhn-poker@1 · seed 1 · rounds 3\n/);
    expect(out).toMatch(/ {3}7 +first ▸ \[/);
    expect(out).toContain('→ second ┊ Your card is');
    expect(out).toMatch(/Over after \d+ turns/);
  });

  it('prints only the view of one seat', async () => {
    const { out } = await ludus(here, ['show', id, '--seat', 'second']);
    expect(out).toContain('in the second seat');
    expect(out).not.toContain('in the first seat');
    expect(out).not.toMatch(/first ▸/);
  });

  it('prints the raw events', async () => {
    const lines = (await ludus(here, ['show', id, '--events'])).out.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as EpisodeEvent);
    expect(events).toEqual(await store((opened) => opened.events(id)));
    expect((await json<{ log: EpisodeEvent[] }>('show', id)).log).toEqual(events);
  });

  it('describes an environment', async () => {
    const { out } = await ludus(here, ['show', 'kuhn-poker']);
    expect(out).toContain('first, second');
    expect(out).toMatch(/rounds +1 +1–1000 +hands to play/);
    expect(await json<{ id: string; task: object }>('show', 'kuhn-poker')).toMatchObject({ id: 'kuhn-poker@1', task: { type: 'object' } });
  });

  it('prints no escape sequence from any source', async () => {
    const evil = '\u001b]0;gone\u0007\u001b[2J\u009b31m';
    const events: EpisodeEvent[] = [
      {
        kind: 'start',
        environment: 'evil@1',
        task: { parameter: evil },
        seed: 1,
        seats: [`a${evil}`, 'b'],
        cast: { [`a${evil}`]: evil, b: 'random' },
      },
      { kind: 'message', to: [`a${evil}`, 'b'], text: evil },
      { kind: 'message', to: ['b'], text: evil, from: `a${evil}` },
      { kind: 'turn', asks: [{ seat: 'b', choices: [evil] }] },
      { kind: 'action', seat: 'b', action: { text: evil } },
      { kind: 'reward', rewards: { [`a${evil}`]: 1 }, penalties: { [`a${evil}`]: 1 } },
      {
        kind: 'end',
        reason: 'error',
        returns: { [`a${evil}`]: 0, b: 0 },
        penalties: { [`a${evil}`]: 1, b: 0 },
        turns: 1,
        fault: { boundary: 'agent', message: evil, seat: `a${evil}` },
      },
    ];
    await store((opened) => opened.append('evil-episode', 0, events));
    for (const words of [
      ['show', 'evil-'],
      ['show', 'evil-', '--seat', 'b'],
      ['show', 'evil-', '--events'],
      ['show', 'evil-', '--json'],
      ['list', 'episodes'],
      ['replay', 'evil-'],
      ['show', evil],
    ]) {
      const { out, err } = await ludus(here, words);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there.
      expect(out + err, words.join(' ')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      expect((out + err).length).toBeGreaterThan(10);
    }
  });
});

describe('replay', () => {
  it('confirms an identical log and plays it back', async () => {
    const { code, out } = await ludus(here, ['replay', id.slice(0, 5), '--speed', '1000']);
    expect(code).toBe(0);
    expect(out).toContain('first ▸');
    expect(out).toMatch(/✓ Identical: all \d+ events/);
    expect(await json('replay', id)).toMatchObject({ episode: id, identical: true, difference: null });
  });

  it('names the first differing event and exits with 1', async () => {
    const events = await store((opened) => opened.events(id));
    const at = events.findIndex((event) => event.kind === 'message' && event.text.startsWith('Your card'));
    const forged = events.map((event, i) => (i === at && event.kind === 'message' ? { ...event, text: 'Your card is A.' } : event));
    await store((opened) => opened.append('forged', 0, forged));
    const { code, out } = await ludus(here, ['replay', 'forged']);
    expect(code).toBe(1);
    expect(out).toContain(`✗ Event ${at} of forged does not follow from kuhn-poker@1.`);
    expect(out).toContain('Your card is A.');
    const machine = await ludus(here, ['replay', 'forged', '--json']);
    expect(machine.code).toBe(1);
    expect(JSON.parse(machine.out)).toMatchObject({ identical: false, difference: { index: at } });
  });
});

describe('fork', () => {
  it('keeps earlier events, plays on with other agents, and replays', async () => {
    const branch = await json<{ episode: string; cast: object; fork: object }>('fork', id, '--at', '6', '--second', 'scripted:equilibrium');
    expect(branch.cast).toEqual({ first: 'random', second: 'scripted:equilibrium' });
    expect(branch.fork).toMatchObject({ episode: id, at: 6 });
    const [parent, child] = await store(async (opened) => [await opened.events(id), await opened.events(branch.episode)]);
    expect(child?.slice(1, 6)).toEqual(parent?.slice(1, 6));
    expect((await ludus(here, ['replay', branch.episode])).code).toBe(0);
  });

  it('is the same game without changes, and another with another seed', async () => {
    const parent = await store((opened) => opened.events(id));
    const same = await json<{ episode: string }>('fork', id, '--at', '6');
    expect((await store((opened) => opened.events(same.episode))).slice(1)).toEqual(parent.slice(1));
    const ends = new Set<string>();
    for (let seed = 1; seed <= 8; seed++) {
      const other = await json<{ episode: string }>('fork', id, '--at', '6', '--seed', String(seed));
      ends.add(JSON.stringify((await store((opened) => opened.events(other.episode))).slice(1)));
    }
    expect(ends.size).toBeGreaterThan(1);
  });

  it("has a seat for a person, with the seat's earlier view", async () => {
    const { code, out } = await ludus(here, ['fork', id, '--at', '6', '--me', 'first'], { typed: 'bet\n/quit\n' });
    expect(code).toBe(130);
    expect(out).toContain('Your card is');
    expect(out).toContain('first › bet');
  });

  it('shows only new events to spectators', async () => {
    const { out } = await ludus(here, ['fork', id, '--at', '6']);
    expect(out).not.toContain('You are playing Kuhn poker');
    expect(out).toContain(`fork of ${id.slice(0, 8)} at 6`);
  });
});

describe('invalid input', () => {
  beforeAll(async () => {
    const start: EpisodeEvent = { kind: 'start', environment: 'shogi@1', task: {}, seed: 1, seats: ['a'], cast: { a: 'random' } };
    await store((opened) => opened.append('twin-1', 0, [start]));
    await store((opened) => opened.append('twin-2', 0, [start]));
    writeFileSync(join(here, 'broken.sqlite'), 'this is not a database, it only looks like a file that could be one');
  });

  it.each([
    [['show', 'twin-'], '"twin-" matches several episodes: twin-1, twin-2. Use a longer prefix.'],
    [['show', 'nobody'], 'Episode "nobody" not found in this store. Run "ludus list episodes" to see all.'],
    [['show', ''], 'Episode "" not found'],
    [['replay', 'nobody'], 'Episode "nobody" not found'],
    [['replay', 'twin-1'], 'Unknown environment "shogi@1"'],
    [['fork', 'nobody', '--at', '1'], 'Episode "nobody" not found'],
    [['fork', 'ID', '--at', '0'], '--at: expected an integer of 1 or more, got "0".'],
    [['fork', 'ID', '--at', '9999'], 'A fork must be before an event from 1 to'],
    [['fork', 'ID'], "Required option '--at <n>' not specified"],
    [['fork', 'ID', '--at', '6', '--third', 'random'], 'has no seat "third"'],
    [['show', 'ID', '--seat', 'third'], 'kuhn-poker@1 has no seat "third"; its seats are first, second.'],
    [['list', 'episodes', '--status', 'odd'], '--status: expected one of running, over, limit, error, abort, got "odd".'],
    [['list', 'episodes', '--run', 'odd'], 'Run "odd" not found in this store'],
    [
      ['list', 'epsiodes'],
      'Unknown kind "epsiodes". You can list kinds, runs, episodes, and every kind that "ludus list kinds" shows. Did you mean "episodes"?',
    ],
    [['show', 'x', '--store', 'missing.sqlite'], 'missing.sqlite. Run an episode first'],
    [['list', 'runs', '--store', 'missing.sqlite'], 'Run an episode first, or pass another --store.'],
    [['replay', 'x', '--store', 'broken.sqlite'], 'broken.sqlite'],
    [['play', 'kuhn-poker', '--watch', '--store', 'broken.sqlite'], 'broken.sqlite'],
    [['list', 'runs', '--store', 'postgres://nowhere/db'], 'store'],
  ])('is rejected with one sentence: %j', async (words, sentence) => {
    const { code, out, err } = await ludus(
      here,
      words.map((word) => (word === 'ID' ? id : word)),
    );
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/\n\s+at /);
  });

  it('uses the store of LUDUS_STORE, unless --store overrides it', async () => {
    const env = { LUDUS_STORE: join(here, '.ludus', 'ludus.sqlite') };
    const elsewhere = folder();
    expect((await ludus(elsewhere, ['show', id], { env })).code).toBe(0);
    expect((await ludus(elsewhere, ['show', id, '--store', 'missing.sqlite'], { env })).code).toBe(2);
  });
});

describe('blame', () => {
  it('names the first answer that broke a rule, or reports that none did', async () => {
    writeFileSync(join(here, 'fool.mjs'), `export default { name: 'fool', act: async () => ({ action: { text: 'nonsense' } }) };`);
    const { episode } = await json<{ episode: string }>('play', 'tic-tac-toe', '--watch', '--agents', './fool.mjs,random', '--seed', '1');
    const match = await json<{ wrong: number[]; blame: { seat: string; step: number; event: number; text: string } }>(
      'show',
      'blame',
      episode,
    );
    expect(match.blame).toMatchObject({ seat: 'X', step: 0, text: 'nonsense', event: match.wrong[0] });
    expect((await ludus(here, ['show', 'blame', episode])).out).toMatch(/^X, at answer 0 \(event \d+\): "nonsense"\./);
    expect(await json('show', 'blame', id)).toEqual({ episode: id, wrong: [], blame: null });
    expect((await ludus(here, ['show', 'blame', id])).out).toContain('is known to be wrong');
    // What the environment paid is a score of every turn; those of a judge or a scorer count alike.
    const lost = await json<{ wrong: number[]; blame: { step: number } }>('show', 'blame', id, '--wrong', 'reward<=-1');
    expect([lost.wrong.length, lost.blame.step]).toEqual([3, expect.any(Number)]);
    expect((await ludus(here, ['show', 'blame', id, '--wrong', 'nonsense'])).code).toBe(2);
    // A seat whose answer was none at all has no action in the log, and is named all the same.
    writeFileSync(join(here, 'mute.mjs'), `export default { name: 'mute', act: async () => ({ text: 'x' }) };`);
    await ludus(here, ['play', 'kuhn-poker', '--watch', '--agents', './mute.mjs,random', '--seed', '1']);
    const [failed] = await json<{ id: string }[]>('list', 'episodes', '--status', 'error');
    expect((await ludus(here, ['show', 'blame', failed!.id])).out).toMatch(/^first failed, which ended \w+: An agent must return/);
    expect(await json('show', 'blame', failed!.id)).toMatchObject({ wrong: [], fault: { seat: 'first', boundary: 'agent' } });
  });
});
