/** @file Playing from the command line: whole games typed in, seats cast in every way, and bad words refused in a sentence. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { seatWords } from '../seat-words.ts';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();

interface Played {
  readonly episode: string;
  readonly cast: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly returns: Readonly<Record<string, number>>;
  readonly seed: number;
}

async function played(...words: string[]): Promise<Played> {
  const { code, out, err } = await ludus(here, ['play', ...words, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Played;
}

describe('a person', () => {
  it('plays Kuhn poker to the end and sees the showdown', async () => {
    const { code, out, err } = await ludus(here, ['play', 'kuhn-poker', '--seed', '1', '--second', 'random'], { typed: 'bet\n' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('You play first.');
    expect(out).toMatch(/first › bet\n\n {2}│ first bets 1\.\n {2}│ second (folds|calls)\./);
    expect(out).toMatch(/You receive [+−]\d\./);
    expect(out).toMatch(/Over after 2 turns: first [+−]\d, second [+−]\d\nSaved as [0-9a-f]{8}: /);
  });

  it('sees every reward once, and the whole episode at the end', async () => {
    const words = ['play', 'kuhn-poker', '--seed', '3', '--second', 'scripted:bold', '--task', '{"rounds":4}'];
    const { code, out } = await ludus(here, words, { typed: 'check\nfold\nfold\ncheck\nfold\nfold\n' });
    expect(code).toBe(0);
    const [play, transcript] = out.split('From first to last, with what was hidden:\n') as [string, string];
    expect(play.match(/You receive/g)).toHaveLength(4);
    expect(play).not.toContain('→ second');
    expect(transcript).toMatch(/→ second ┊ Your card is [JQK]\./);
    expect(transcript.match(/Your card is/g)).toHaveLength(8);
  });

  it('plays tic-tac-toe on a color terminal to the end', async () => {
    // Anyone who plays every free cell in order finishes: lines that are no move any more only ask again.
    const typed = Array.from({ length: 3 }, () => '0\r1\r2\r3\r4\r5\r6\r7\r8\r').join('');
    const { code, out } = await ludus(here, ['play', 'tic-tac-toe', '--seed', '5', '--O', 'random'], { typed, tty: true });
    expect(code).toBe(0);
    expect(out).toContain('\u001b[');
    expect(out).toMatch(/Over.* after \d turns: /);
  });

  it('plays on stderr when stdout is JSON', async () => {
    const { out, err } = await ludus(here, ['play', 'kuhn-poker', '--me', 'first', '--json'], { typed: 'check\nfold\n' });
    expect(JSON.parse(out)).toMatchObject({ environment: 'kuhn-poker@1', reason: 'over', cast: { first: 'human' } });
    expect(err).toContain('Your card is');
  });

  it('sees a penalty as a full sentence', async () => {
    const { out } = await ludus(here, ['play', 'kuhn-poker', '--seed', '1'], { typed: '[nonsense]\n/quit\n' });
    expect(out).toMatch(/ {2}│ You receive a penalty of 1\.\n/);
  });

  it('quits with /quit, with exit code 130 and a note in the log', async () => {
    const { code, out } = await ludus(here, ['play', 'kuhn-poker'], { typed: '/quit\n' });
    expect(code).toBe(130);
    expect(out).toContain('Called off after 0 turns');
  });
});

describe('casting', () => {
  it('watches if no seat is left', async () => {
    const { code, out } = await ludus(here, ['play', 'kuhn-poker', '--agents', 'random', '--seed', '3']);
    expect(code).toBe(0);
    expect(out).toMatch(/first ▸ \[(check|bet)\]/);
    expect(out).not.toContain('You sit');
  });

  it('accepts seats from --SEAT, --SEAT=, --seat, --agents, and --watch', async () => {
    expect((await played('kuhn-poker', '--watch')).cast).toEqual({ first: 'random', second: 'random' });
    const scripted = { first: 'scripted:equilibrium', second: 'random' };
    expect((await played('kuhn-poker', '--first', 'scripted:equilibrium', '--second', 'random')).cast).toEqual(scripted);
    expect((await played('--first=scripted:equilibrium', 'kuhn-poker', '--second=random')).cast).toEqual(scripted);
    expect((await played('kuhn-poker', '--seat', 'first=scripted:equilibrium', '--watch')).cast).toEqual(scripted);
    expect((await played('kuhn-poker', '--agents', 'scripted:equilibrium,uniform')).cast).toEqual(scripted);
    expect((await played('tic-tac-toe', '--x', 'random', '--o', 'random')).cast).toEqual({ X: 'random', O: 'random' });
  });

  it('gives the person the free seat', async () => {
    const { out } = await ludus(here, ['play', 'kuhn-poker', '--first', 'random'], { typed: '/quit\n' });
    expect(out).toContain('You play second.');
  });

  it('plays the same episode for the same seed', async () => {
    const [item, two] = [await played('connect-four', '--watch', '--seed', '9'), await played('connect-four', '--watch', '--seed', '9')];
    expect(item.episode).not.toBe(two.episode);
    expect([item.seed, item.returns]).toEqual([two.seed, two.returns]);
  });

  it('separates options from seats in any order', () => {
    const options = [
      { long: '--seed', required: true },
      { long: '--watch', required: false },
    ];
    const words = ['--second', 'random', '--seed', '--x', '--watch', 'env', '--first=a=b', '--last'];
    expect(seatWords(words, options)).toEqual([
      '--seat',
      'second=random',
      '--seed',
      '--x',
      '--watch',
      'env',
      '--seat',
      'first=a=b',
      '--last',
    ]);
    expect(seatWords(['--', '--x', 'y'], options)).toEqual(['--', '--x', 'y']);
  });
});

describe('the screen', () => {
  it('wraps to its width, and has no color if not allowed', async () => {
    for (const columns of [40, 80, 120]) {
      const { out } = await ludus(here, ['play', 'kuhn-poker', '--watch'], { tty: true, columns, env: { NO_COLOR: '1' } });
      expect(out).not.toContain('\u001b');
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
  });

  it('waits between events at a given speed', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await ludus(here, ['play', 'kuhn-poker', '--watch', '--speed', '100']);
    const waits = timers.mock.calls.filter(([, milliseconds]) => milliseconds === 10);
    timers.mockRestore();
    expect(waits.length).toBeGreaterThan(5);
  });
});

describe('invalid input', () => {
  const empty = folder();
  it.each([
    [['play', 'kuhn-pokr'], 'Unknown environment "kuhn-pokr". Did you mean "kuhn-poker"?'],
    [['play', './nothing.ts'], 'File not found'],
    [['play', 'kuhn-poker', '--me', 'third'], 'kuhn-poker has no seat "third"; its seats are first, second.'],
    [['play', 'kuhn-poker', '--me', 'frist'], 'Did you mean "first"?'],
    [['play', 'kuhn-poker', '--third', 'random'], 'has no seat "third" and no option --third'],
    [['play', 'kuhn-poker', '--sede', '3'], 'Did you mean --seed?'],
    [['play', 'kuhn-poker', '--wacth'], 'Did you mean --watch?'],
    [['play', 'kuhn-poker', '--first', 'radnom'], 'Unknown agent "radnom". Available: random, '],
    [['play', 'kuhn-poker', '--agents', 'random,random,random'], '--agents: expected one agent, or one for each of the 2 seats'],
    [['play', 'kuhn-poker', '--agents', 'random,'], 'has no agent for the seat "second"'],
    [['play', 'kuhn-poker', '--seat', 'first'], '--seat: expected SEAT=AGENT, such as first=random, got "first".'],
    [['play', 'kuhn-poker', '--me', 'first', '--watch'], 'Use either --watch or --me'],
    [['play', 'kuhn-poker', '--task', '{"rounds":'], '--task must be JSON, but is not'],
    [['play', 'kuhn-poker', '--task', '{"rounds":0}'], '"rounds" must be an integer from 1 to 1000, but got 0.'],
    [['play', 'kuhn-poker', '--task', '{"round":1}'], 'unknown parameter "round"'],
    [['play', 'kuhn-poker', '--task', '7'], ': a task must be an object such as'],
    [['play', 'kuhn-poker', '--seed', '-1'], '--seed: expected an integer of 0 or more, got "-1".'],
    [['play', 'kuhn-poker', '--seed', '99999999999999999999'], '--seed: expected an integer from 0 to 9007199254740991, got'],
    [['play', 'kuhn-poker', '--speed', '0'], '--speed: expected a positive number'],
  ])('is rejected with one sentence and creates nothing: %j', async (words, sentence) => {
    const { code, out, err } = await ludus(empty, words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(empty, '.ludus'))).toBe(false);
  });
});
