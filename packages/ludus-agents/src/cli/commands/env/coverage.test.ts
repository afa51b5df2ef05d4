/** @file Coverage at the command line: JSON, tables, the style of a run, and errors. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Coverage } from '@ludus-agents/evaluation/internal/coverage';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();

describe('coverage', () => {
  it('reports players and the style of a run', async () => {
    const bold = { first: 'scripted:bold', second: 'scripted:bold' };
    writeFileSync(join(here, 'plan.json'), JSON.stringify({ name: 'shown', environments: ['kuhn-poker'], seeds: 8, casts: [bold] }));
    expect((await ludus(here, ['run', 'plan.json'])).code).toBe(0);
    const { code, out } = await ludus(here, [
      'env',
      'coverage',
      'kuhn-poker',
      '--like',
      'shown',
      '--episodes',
      '20',
      '--repeats',
      '2',
      '--json',
    ]);
    expect(code).toBe(0);
    const coverage = JSON.parse(out) as Coverage;
    expect(coverage).toMatchObject({ environment: 'kuhn-poker@1', episodes: 20, repeats: 2, reachable: { states: 54, edges: 48 } });
    expect(coverage.rows.map(({ name }) => name)).toEqual(['random', 'explorer', 'explorer like shown', 'shown']);
    expect(coverage.rows[2]!.likeness['shown']).toBeGreaterThan(coverage.rows[1]!.likeness['shown']!);
    const [random] = coverage.rows;
    expect(random!.intervals.states![0]).toBeLessThanOrEqual(random!.states);
    expect(coverage.rows[3]!.intervals.states).toBeNull();
  });

  it('prints lines no wider than the screen', async () => {
    const { out } = await ludus(here, ['env', 'coverage', 'kuhn-poker', '--agent', 'random', '--episodes', '3', '--repeats', '1'], {
      tty: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(out.replace(/\s+/g, ' ')).toContain('a single one gives no interval');
    expect(out.replace(/\s+/g, ' ')).toContain('interval. The environment has 54 states and 48 edges');
    expect(out).toMatch(/not tried: \d+ listed edges/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('rejects a run without episodes of the environment, and a duplicate player', async () => {
    const { code, err } = await ludus(here, ['env', 'coverage', 'tic-tac-toe', '--like', 'shown']);
    expect(code).toBe(2);
    expect(err).toContain('has no episode of tic-tac-toe@1');
    expect((await ludus(here, ['env', 'coverage', 'tic-tac-toe', '--agent', 'random', '--agent', 'random'])).err).toContain('Two players');
  });
});
