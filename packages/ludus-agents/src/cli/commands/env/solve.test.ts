/** @file What the solver found, on the screen and for machines. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Solution } from '@ludus-agents/environments/internal/solve/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();

describe('exploit', () => {
  it('uses the probabilities of a trained table, or samples answers on request', async () => {
    await ludus(here, ['train', 'kuhn-tabular', '--games', '10', '--name', 'short']);
    const { code, out } = await ludus(here, ['env', 'exploit', 'local/short', 'kuhn-poker', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ model: 'local/short', decisions: 12, policy: 'exact', legal: 1 });
    const counted = await ludus(here, ['env', 'exploit', 'local/short', 'kuhn-poker', '--samples', '3', '--json']);
    expect(JSON.parse(counted.out)).toMatchObject({ policy: 'samples', samples: 3 });
  });
});

describe('training', () => {
  it('reports @best if the last checkpoint is worse, with the same value as exploit', async () => {
    // A step this large makes the policy swing.
    const words = [
      'train',
      'kuhn-tabular',
      '--games',
      '40000',
      '--name',
      'swing',
      '--set',
      'training.rate.from=2',
      '--set',
      'training.rate.to=2',
    ];
    const { out } = await ludus(here, words);
    const [, value] = /@best, .* exploitability (\d\.\d+)\./.exec(out) ?? [];
    const measured = await ludus(here, ['env', 'exploit', 'local/swing@best', 'kuhn-poker', '--json']);
    expect((JSON.parse(measured.out) as { readonly exploitability: number }).exploitability.toFixed(4)).toBe(value);
    const shown = await ludus(here, ['show', 'swing', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ training: { games: expect.any(Number), exploitability: expect.any(Number) } });
    expect((await ludus(here, ['show', 'swing'])).code).toBe(0);
  });
});

describe('exploit of an agent', () => {
  const measured = async (name: string) => {
    const { code, out, err } = await ludus(here, ['env', 'exploit', name, 'kuhn-poker', '--samples', '20', '--json']);
    expect({ code, err }).toMatchObject({ code: 0 });
    return JSON.parse(out) as { readonly model: string; readonly exploitability: number | null; readonly legal: number };
  };
  const program = (text: string) => `export default { name: 'mine', async act({ ask }) { return { action: { text: ${text} } }; } };\n`;

  it('that is a program, document, or kind has a value and a share of legal answers', async () => {
    writeFileSync(join(here, 'first.mjs'), program('ask.choices[0]'));
    expect(await measured('./first.mjs')).toMatchObject({ model: 'mine', legal: 1, exploitability: expect.any(Number) });
    writeFileSync(join(here, 'other.mjs'), program("'dance'"));
    expect(await measured('./other.mjs')).toMatchObject({ model: 'mine', legal: 0, exploitability: null });
    writeFileSync(join(here, 'clerk.json'), JSON.stringify({ name: 'clerk', kind: 'llm', model: 'fake/[dance]' }));
    expect(await measured('./clerk.json')).toMatchObject({ model: 'clerk', exploitability: null });
    expect((await measured('random')).exploitability).toBeGreaterThan(0);
  });

  it('that is a bot requires --samples, because each answer is a message', async () => {
    writeFileSync(join(here, 'bot.json'), JSON.stringify({ name: 'bot', kind: 'bot', settings: { url: 'http://127.0.0.1:1/chat' } }));
    const { code, err } = await ludus(here, ['env', 'exploit', './bot.json', 'kuhn-poker']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--samples') });
  });
});

describe('solve', () => {
  it('prints the value with its bounds as JSON', async () => {
    const { code, out } = await ludus(here, ['env', 'solve', 'kuhn-poker', '--within', '0.0001', '--json']);
    expect(code).toBe(0);
    const solution = JSON.parse(out) as Solution;
    const [low, high] = solution.bounds as [number, number];
    expect(low).toBeLessThanOrEqual(-1 / 18);
    expect(high).toBeGreaterThanOrEqual(-1 / 18);
    expect(high - low).toBeLessThanOrEqual(0.0001);
    expect(solution).toMatchObject({ environment: 'kuhn-poker@1', method: 'cfr', informationSets: 12, terminals: 30 });
  });

  it('prints a few lines, no wider than the screen', async () => {
    const { out } = await ludus(here, ['env', 'solve', 'hanabi-tiny'], { tty: true, columns: 60, env: { NO_COLOR: '1' } });
    expect(out).toContain('+10 to everyone');
    expect(out).toContain('8 information sets, 53 nodes, 36 ends');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('prints the bounds with enough digits to distinguish them', async () => {
    const { out } = await ludus(here, ['env', 'solve', 'kuhn-poker', '--within', '0.0001']);
    const [, value, low, high] = /value +−(\S+) to first, between −(\S+) and −(\S+)/.exec(out) as unknown as string[];
    expect(Number(value)).toBeCloseTo(1 / 18, 4);
    expect(Number(low)).toBeGreaterThan(1 / 18);
    expect(Number(high)).toBeLessThan(1 / 18);
  });

  it('reports if the requested precision was not reached', async () => {
    const words = ['env', 'solve', 'kuhn-poker', '--iterations', '50'];
    const { within } = JSON.parse((await ludus(here, [...words, '--json'])).out) as Solution;
    expect(within?.wanted).toBe(1e-8);
    expect(within?.reached).toBeGreaterThan(1e-8);
    expect((await ludus(here, words)).out).toMatch(/precision .*1e-8 was\s+not\s+reached/s);
    expect((await ludus(here, ['env', 'solve', 'kuhn-poker', '--within', '0.01'])).out).not.toContain('precision');
  });

  it('accepts a task', async () => {
    const { out } = await ludus(here, ['env', 'solve', 'tic-tac-toe', '--task', '{"columns":2,"rows":2,"k":2}', '--json']);
    expect(JSON.parse(out)).toMatchObject({ method: 'minimax', value: 1, bounds: [1, 1] });
  });

  it('explains an invalid option', async () => {
    const { code, err } = await ludus(here, ['env', 'solve', 'kuhn-poker', '--within', 'soon']);
    expect(code).toBe(2);
    expect(err).toContain('--within: expected a positive number');
  });
});
