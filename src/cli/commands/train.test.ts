import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const cwd = folder();
const lastLine = (text: string) => JSON.parse(text.trim().split('\n').at(-1) as string) as Record<string, number>;

describe('ludus train', () => {
  it('ends with one line for machines', { timeout: 30_000 }, async () => {
    const { code, out } = await ludus(cwd, ['train', 'kuhn-tabular', '--seed', '1', '--json']);
    expect(code).toBe(0);
    const found = lastLine(out);
    expect(Object.keys(found)).toEqual(['exploitability', 'games', 'seconds', 'invalid']);
    expect(found['exploitability']).toBeLessThan(0.02);
    expect(found['games']).toBeGreaterThanOrEqual(1_000_000);
    const control = await ludus(cwd, ['train', 'kuhn-grpo-std', '--seed', '1', '--json']);
    expect(lastLine(control.out)['exploitability']).toBeGreaterThan(0.08);
  });

  it('goes on after Ctrl-C to the same end', { timeout: 30_000 }, async () => {
    const words = ['train', 'kuhn-rae', '--games', '1000000', '--json'];
    const whole = await ludus(cwd, [...words, '--name', 'whole']);
    const stopped = await ludus(cwd, [...words, '--name', 'broken'], { during: (interrupt) => setTimeout(interrupt, 60) });
    expect(stopped.code).toBe(130);
    expect(stopped.err).toContain('ludus train --resume broken');
    const resumed = await ludus(cwd, ['train', '--resume', 'broken', '--json']);
    expect(resumed.code).toBe(0);
    expect(lastLine(resumed.out)['exploitability']).toBe(lastLine(whole.out)['exploitability']);
    const checkpoint = (name: string) =>
      (JSON.parse(readFileSync(join(cwd, '.ludus', 'training', name, 'checkpoint.json'), 'utf8')) as { checkpoint: unknown }).checkpoint;
    expect(checkpoint('broken')).toEqual(checkpoint('whole'));
    for (const file of ['metrics.csv', 'events.out.tfevents.ludus'])
      expect(existsSync(join(cwd, '.ludus', 'training', 'whole', file))).toBe(true);
  });

  it('trains by rollout what needs it, and draws the curve on a terminal', { timeout: 30_000 }, async () => {
    const { code, out, err } = await ludus(cwd, ['train', 'gigpo', '--games', '640'], { tty: true });
    expect([code, out]).toEqual([0, expect.stringContaining('Kept as gigpo-1')]);
    expect(err).toMatch(/[▁▂▃▄▅▆▇█]/);
  });

  it('says what is wrong in a sentence', async () => {
    expect((await ludus(cwd, ['train', 'kuhn-tabulr'])).err).toContain('Did you mean "kuhn-tabular"?');
    expect((await ludus(cwd, ['train'])).err).toContain('Name a recipe');
    expect((await ludus(cwd, ['train', '--resume', 'nothing'])).err).toContain('There is no training run');
    expect((await ludus(cwd, ['train', 'kuhn-rae', '--set', 'loss.x=1'])).err).toContain('nothing called "x"');
    expect((await ludus(cwd, ['train', 'cm2'])).err).toContain('a judge must tell');
  });
});

describe('ludus sweep', () => {
  it('sets settings side by side', { timeout: 30_000 }, async () => {
    const { code, out } = await ludus(cwd, [
      'sweep',
      'kuhn-rae',
      '--games',
      '20000',
      '--seeds',
      '2',
      '--try',
      'loss.kl.weight=0.1,0.5',
      '--json',
    ]);
    expect(code).toBe(0);
    const rows = JSON.parse(out) as { settings: string[]; median: number; worst: number }[];
    expect(rows.map(({ settings }) => settings)).toEqual([['loss.kl.weight=0.1'], ['loss.kl.weight=0.5']]);
    for (const { median, worst } of rows) expect(worst).toBeGreaterThanOrEqual(median);
    expect((await ludus(cwd, ['sweep', 'kuhn-rae', '--try', 'games'])).err).toContain('path=one,two');
  });
});
