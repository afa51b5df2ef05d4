/** @file Kept episodes as a source: any run of the store, the user's own environment, filters, files. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

/** A coin that pays for heads, in a file of the user's own. */
const coin = `export default {
  id: 'coin@1',
  about: { summary: 'Say heads or tails.', tasks: [{}], turns: 1, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['caller'],
  start: () => ({ state: 0, messages: [{ to: ['caller'], text: 'Call it.' }], asks: [{ seat: 'caller', choices: ['heads', 'tails'] }] }),
  step: (state, actions) => ({ state: 1, messages: [], asks: [], rewards: { caller: actions.caller.text === 'heads' ? 1 : 0 } }),
};`;

async function played(): Promise<string> {
  const cwd = folder();
  writeFileSync(join(cwd, 'coin.mjs'), coin);
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ name: 'tossed', environments: ['./coin.mjs'], seeds: 20 }));
  expect((await ludus(cwd, ['run', 'plan.json'])).code).toBe(0);
  return cwd;
}

const imitate = ['train', 'imitate', '--games', '320', '--set', 'training.rate={"from":0.8,"to":0.8}', '--json', '--from'];
const endOf = (out: string) => (JSON.parse(out.trim().split('\n').at(-1)!) as { gain: { after: number } }).gain.after;

describe('train imitate --from', () => {
  it('learns from the successful or failed episodes of a run, in a custom environment', async () => {
    const cwd = await played();
    const good = await ludus(cwd, [...imitate, 'tossed', '--where', 'return>=1']);
    expect(good.err).toMatch(/\d+ turns of \d+ stored episodes from tossed are used for training/);
    expect(endOf(good.out)).toBeGreaterThan(0.8);
    // The control: the same command on what went badly.
    expect(endOf((await ludus(cwd, [...imitate, 'tossed', '--where', 'return<1', '--name', 'bad'])).out)).toBeLessThan(0.2);
    await ludus(cwd, ['data', 'export', '-o', 'all.jsonl']);
    const file = await ludus(cwd, [...imitate, 'all.jsonl', '--where', 'return>=1', '--name', 'file', '--store', 'other.sqlite']);
    expect(endOf(file.out)).toBeGreaterThan(0.8);
  });

  it('can start any other recipe by imitating good or bad calls before its first game', async () => {
    const cwd = await played();
    const begin = [...['--games', '64', '--set', 'training.rate={"from":1e-9,"to":1e-9}'], '--json', '--from', 'tossed'];
    const steps = ['--set', 'training.warmUp={"games":1,"steps":4,"rate":0.5}', '--where'];
    const good = await ludus(cwd, ['train', 'grpo', ...begin, ...steps, 'return>=1']);
    expect(good.err).toMatch(/\d+ turns of \d+ stored episodes from tossed are imitated for 4 steps first/);
    expect(endOf(good.out)).toBeGreaterThan(0.7);
    expect(endOf((await ludus(cwd, ['train', 'grpo', '--name', 'bad', ...begin, ...steps, 'return<1'])).out)).toBeLessThan(0.3);
  });

  it('learns from several runs at once, and names an unknown run', async () => {
    const cwd = await played();
    const two = await ludus(cwd, [...imitate, 'tossed,tossed', '--where', 'return>=1']);
    const [, turns] = /(\d+) turns of \d+ stored episodes from tossed,tossed/.exec(two.err) ?? [];
    const [, once] = /(\d+) turns of/.exec((await ludus(cwd, [...imitate, 'tossed', '--where', 'return>=1', '--name', 'one'])).err) ?? [];
    expect(Number(turns)).toBe(2 * Number(once));
    expect((await ludus(cwd, [...imitate, 'tossed,nobody', '--name', 'x', '--environment', './coin.mjs'])).err).toContain('"nobody"');
  });

  it('explains missing input', async () => {
    const cwd = await played();
    const none = await ludus(cwd, [...imitate, 'tossed', '--where', 'return>=2']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('None of the 20 episodes of tossed passes return>=2')]);
    expect((await ludus(cwd, [...imitate, 'nobody'])).err).toContain('Run "nobody" not found');
    expect((await ludus(cwd, ['train', 'imitate', '--where', 'return>=1'])).err).toContain('Add --from RUN');
    expect((await ludus(cwd, [...imitate, 'tossed', '--mask', 'wrong'])).err).toContain('--mask: expected a filter such as return>=1');
    expect((await ludus(cwd, ['train', 'implicit-q'])).err).toContain('Run "RUN" not found');
  });
});
