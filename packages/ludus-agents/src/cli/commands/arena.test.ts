/** @file Arenas from the command line: decided or not, killed and continued. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import { exits } from '../command.ts';
import { countEnded, folder, ludus } from '../terminal.cases.ts';

interface Held {
  readonly run: string;
  readonly played: number;
  readonly before: number;
  readonly stopped: string;
  readonly agents: readonly { readonly agent: string; readonly places: readonly number[]; readonly rating: number }[];
  readonly placeChances: Readonly<Record<string, readonly number[]>>;
  readonly separation: { readonly decided: boolean; readonly gaps: readonly { above: string; below: string; decided: boolean }[] };
}

async function held(cwd: string, ...words: string[]): Promise<Held> {
  const { code, out } = await ludus(cwd, ['arena', ...words, '--json']);
  expect(code).toBe(exits.fine);
  return JSON.parse(out) as Held;
}

const poker = ['kuhn-poker', '--agents', 'random,scripted,uniform'];

describe('arena', () => {
  it('shows the known exploitability of an agent next to the ranking, if it was measured', async () => {
    const here = folder();
    const words = ['kuhn-poker', '--agents', 'scripted:bold,random', '--games', '40'];
    const exploits = async () => JSON.parse((await ludus(here, ['arena', ...words, '--json'])).out).exploits as readonly object[];
    expect(await exploits()).toEqual([]);
    const trained = await ludus(here, ['train', 'best-response', '--against', 'scripted:bold', '--games', '6400', '--json']);
    const { exploitability, interval } = JSON.parse(trained.out.trim().split('\n').at(-1)!);
    expect(await exploits()).toEqual([{ agent: expect.stringMatching(/bold/), exploitability, interval, run: 'best-response-1' }]);
    expect((await ludus(here, ['arena', ...words])).out).toMatch(
      /bold loses at least 0\.\d+ per episode to the policy learned in best-response-1/,
    );
    // The leaderboard of the arena says it too, in every format.
    const run = JSON.parse((await ludus(here, ['arena', ...words, '--json'])).out).run as string;
    for (const format of ['md', 'html', 'json'])
      expect((await ludus(here, ['report', run, '--format', format])).out).toMatch(
        format === 'json' ? /"exploits":\[\{/ : /bold loses at least 0\./,
      );
    // In another environment it says nothing.
    const leduc = await ludus(here, ['arena', 'tic-tac-toe', '--agents', 'scripted,random', '--games', '4', '--json']);
    expect(JSON.parse(leduc.out).exploits).toEqual([]);
  });

  it('leaves out all games of an earlier version, however few decide the order now', async () => {
    const here = folder();
    const program = (name: string, text: string) =>
      writeFileSync(join(here, `${name}.mjs`), `export default { name: '${name}', act: ({ ask }) => ({ action: { text: ${text} } }) };`);
    program('mine', 'ask.choices[0]');
    program('other', 'ask.choices[0]');
    const arena = () => held(here, 'tic-tac-toe', '--agents', './mine.mjs,./other.mjs', '--games', '80');
    const first = await arena();
    expect(first).toMatchObject({ played: 80, earlier: 0, separation: { decided: false } });
    program('mine', "'nonsense'");
    const second = await arena();
    expect(second.separation.decided).toBe(true);
    expect(second.played).toBeLessThan(first.played);
    expect(second).toMatchObject({ earlier: 80 });
  });

  it('explains why all games failed instead of asking for more', async () => {
    const here = folder();
    writeFileSync(join(here, 'broken.mjs'), `export default { name: 'broken', act() { throw new Error('my shelf is empty'); } };`);
    const { code, out } = await ludus(here, ['arena', 'tic-tac-toe', '--agents', './broken.mjs,random', '--games', '4']);
    expect(code).toBe(1);
    expect(out).toContain('4 failed');
    expect(out).toContain('All games failed. The last one (broken): my shelf is empty');
    expect(out).not.toContain('play more');
  });

  it('ranks a good player above random, and ties random with its twin', async () => {
    const here = folder();
    const match = await held(here, ...poker, '--games', '2000');
    expect(match).toMatchObject({ played: 1998, before: 0, stopped: 'budget' });
    expect(match.agents[0]).toMatchObject({ agent: 'scripted', places: [1, 1] });
    expect(match.agents.slice(1).map(({ places }) => places)).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(match.separation.gaps.map(({ decided }) => decided)).toEqual([true, false]);
    // The player is first in nearly every draw; chance and its twin share the other places, and all chances of an agent make 1.
    expect(match.placeChances['scripted']?.[0]).toBeGreaterThan(0.95);
    for (const twin of ['random', 'uniform']) expect(match.placeChances[twin]?.[1]).toBeLessThan(0.95);
    for (const chances of Object.values(match.placeChances)) expect(chances.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    const again = await held(here, ...poker, '--games', '2000');
    expect({ ...again, seconds: 0 }).toEqual({ ...match, seconds: 0, played: 0, before: 1998 });
  });

  it('stops once the order is decided, and continues with more games', async () => {
    const here = folder();
    const match = await held(here, 'tic-tac-toe', '--agents', 'random,scripted', '--games', '400');
    expect(match.stopped).toBe('separated');
    expect(match.played).toBeLessThan(400);
    expect(match.separation.decided).toBe(true);
    const { out } = await ludus(here, ['arena', 'tic-tac-toe', '--agents', 'random,scripted', '--games', '400']);
    expect(out).toContain('The order scripted > random is decided');
    expect(out).toContain(`0 games played, ${match.played} already stored`);
  });

  it('shows the requested rating next to Bradley–Terry, with its interval', async () => {
    const here = folder();
    const words = ['arena', 'tic-tac-toe', '--agents', 'random,scripted', '--games', '100'];
    expect((await ludus(here, words)).out).toMatch(/rating +95% +Elo +TrueSkill +matches/);
    const { out } = await ludus(here, [...words, '--rating', 'glicko']);
    expect(out).toMatch(/rating +95% +Glicko-2 +95% +matches/);
    expect(out).toMatch(/scripted +\d+ +-?\d+ to \d+ +(\d+) +\d+ to \d+/);
    const { code, err } = await ludus(here, [...words, '--rating', 'glico']);
    expect([code, err]).toEqual([
      exits.input,
      expect.stringContaining('--rating: expected one of elo, glicko, trueskill, got "glico". Did you mean "glicko"?'),
    ]);
  });

  it('pairs near equals in Swiss rounds, reproducibly after a resume', async () => {
    const here = folder();
    const words = ['kuhn-poker', '--agents', 'random,scripted,scripted:honest,scripted:bold', '--swiss', '--games', '600'];
    const match = await held(here, ...words);
    expect(match.agents).toHaveLength(4);
    expect(await held(here, ...words)).toMatchObject({ played: 0, before: match.played, agents: match.agents });
  });

  it('resumes after a kill without replaying a game', async () => {
    const here = folder();
    const file = join(here, 'arena.sqlite');
    const words = ['arena', ...poker, '--games', '1200', '--store', file, '--json'];
    const main = join(import.meta.dirname, '..', 'main.ts');
    const start = `process.argv.splice(1, 0, "ludus");import(${JSON.stringify(main)}).then(({ main }) => main())`;
    const child = spawn(process.execPath, ['-e', start, '--', ...words], { cwd: here, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await until(async () => child.exitCode !== null || (await countEnded(file)) >= 50);
    child.kill('SIGKILL');
    await ended;
    const retainedCount = await countEnded(file);
    expect(retainedCount).toBeGreaterThanOrEqual(50);
    const whole = await held(folder(), ...poker, '--games', '1200');
    const resumed = await held(here, ...poker, '--games', '1200', '--store', file);
    expect(resumed.before).toBe(retainedCount);
    expect(resumed.played).toBe(1200 - retainedCount);
    expect(resumed.agents).toEqual(whole.agents);
  });

  it.each([
    [['kuhn-poker', '--agents', 'random'], 'An arena needs at least two agents, but --agents'],
    [['kuhn-poker', '--agents', 'random,human'], 'An arena cannot be played by people. To play'],
    [['kuhn-poker', '--agents', 'random,house:x'], 'Unknown agent "house:x"'],
    [['kuhn-poker', '--agents', 'random,scripted:none'], 'no script "none"'],
    [['kuhn-poker', '--agents', 'random,scripted,uniform', '--games', '4'], '4 games are too few for 3 agents'],
    [['kuhn-poker'], "Required option '--agents <list>' not specified"],
  ])('rejects %j with an explanation', async (words, sentence) => {
    const { code, err } = await ludus(folder(), ['arena', ...words]);
    expect([code, err]).toEqual([exits.input, expect.stringContaining(sentence)]);
  });
});
