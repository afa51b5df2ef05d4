/** @file What happened in a training is shown by `report` and `compare`, and how it is played is said before it begins. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

describe('a finished training run', () => {
  const cwd = folder();

  it('has a report of how it was played, where it began, and where it ended', async () => {
    const words = ['train', 'kuhn-tabular', '--games', '40000', '--name', 'one'];
    const { code, err } = await ludus(cwd, words);
    expect([code, err]).toEqual([0, expect.stringContaining('On the whole game tree: kuhn-poker@1 has 12 decisions')]);
    const { out } = await ludus(cwd, ['report', 'one', '--format', 'md']);
    expect(out).toContain('# Training one');
    expect(out).toContain('On the whole game tree: kuhn-poker@1 has 12 decisions');
    expect(out).toMatch(
      /The exploitability went from 0\.\d+ to 0\.\d+ \(100\.0% legal\), which is better\. The best during training was 0\.\d+\./,
    );
    expect(out).not.toContain('0 of 0 episodes');
    const json = JSON.parse((await ludus(cwd, ['report', 'one', '--json'])).out) as { first: number; last: number; games: number };
    expect(json.last).toBeLessThan(json.first);
    expect(json.games).toBe(40_064);
  });

  it('has a page with curves, end values with or without intervals, counters, and settings', async () => {
    const pageOf = async (run: string) => (await ludus(cwd, ['report', run])).out;
    const exact = await pageOf('one');
    expect(exact).toContain('aria-label="exploitability over games"');
    expect(exact).toContain('exact: computed over the whole game');
    expect(exact).toContain('This recipe has no mechanism with counters');
    expect(exact).toMatch(/training\.games<\/td><td>40000</);
    expect((exact.match(/<circle/g) ?? []).length).toBeGreaterThan(50);
    // A teacher is asked at every turn, until its share is zero.
    expect((await ludus(cwd, ['train', 'rpd', '--games', '256', '--name', 'helped'])).code).toBeLessThan(2);
    const sampled = await pageOf('helped');
    expect(sampled).toMatch(/gain in new episodes<\/td><td[^>]*>[^<]+<\/td><td[^>]*>95%: [^<]+ to [^<]+, for new seeds/);
    expect(sampled).toMatch(/<td class="text loose">asked<\/td><td>[1-9]/);
    expect(sampled).toContain('aria-label="asked per update over games"');
  });

  it('is compared with another one, stating the limits of a single run', async () => {
    await ludus(cwd, ['train', 'kuhn-rae', '--games', '40000', '--name', 'two']);
    const { out } = await ludus(cwd, ['compare', 'one', 'two']);
    expect(out).toMatch(/(one|two) \(kuhn-(tabular|rae), seed 1\) ends better by 0\.\d+/);
    expect(out).toContain('One run each says nothing about the methods. For intervals, use "ludus train kuhn-tabular,kuhn-rae --seeds 5".');
    await ludus(cwd, ['train', 'hanabi-tabular', '--games', '2000', '--name', 'three']);
    expect((await ludus(cwd, ['compare', 'one', 'three'])).out).toContain('in different environments, so neither is better');
  });
});

describe('settings that a recipe lacks', () => {
  const cwd = folder();

  it('can be set if recipes allow them, and are rejected otherwise', async () => {
    const set = (...words: readonly string[]) => ludus(cwd, ['train', 'kuhn-rae', '--games', '128', '--force', '--name', 'x', ...words]);
    expect((await set('--set', 'training.seats.second=random')).err).toContain('By rollout: the recipe assigns seats to other agents.');
    expect((await set('--set', 'training.task={"rounds":2}')).code).toBe(0);
    expect((await set('--set', 'loss.klll=2')).err).toContain('has no "klll"');
    expect((await set('--set', 'training.tasc={}')).err).toContain('has no "tasc"');
  });

  it('select the learner: a remote one needs a server and an existing tokenizer', async () => {
    const words = ['train', 'spiral', '--games', '128', '--name', 'y'];
    expect((await ludus(cwd, [...words, '--url', 'http://127.0.0.1:1'])).err).toContain(
      '--url, --base, --rank, and --tokenizer need --learner tinker.',
    );
    expect((await ludus(cwd, [...words, '--learner', 'tinker'])).err).toContain('training.server.url');
    const server = ['--learner', 'tinker', '--url', 'http://127.0.0.1:1', '--base', 'tiny'];
    writeFileSync(join(cwd, 'none.mjs'), 'export const encode = 1;');
    expect((await ludus(cwd, [...words, ...server, '--tokenizer', './none.mjs'])).err).toContain('exports no tokenizer');
  });

  it('report how often each active mechanism of the recipe acted', async () => {
    const actedBy = async (name: string, ...settings: readonly string[]) => {
      const words = ['train', 'spear', '--environment', 'lock', '--games', '1280', '--name', name, '--json', ...settings];
      return (JSON.parse((await ludus(cwd, words)).out) as { readonly acted: Readonly<Record<string, number>> }).acted;
    };
    expect((await actedBy('with-replay'))['replayed']).toBeGreaterThan(0);
    expect(await actedBy('without-replay', '--set', 'replay={"kind":"none"}')).not.toHaveProperty('replayed');
  });
});
