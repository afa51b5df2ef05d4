/** @file `ludus judge reward`: from a run to a scorer in a file, which rates another run and filters what is exported. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

describe('ludus judge reward', () => {
  it('learns from one run, rates another, and filters it', async () => {
    const home = folder();
    const plan = (name: string, from: number) =>
      JSON.stringify({
        name,
        environments: [{ environment: 'lock', tasks: [{ dials: 1 }, { dials: 2 }] }],
        seeds: { from, count: 120 },
        casts: [{ opener: 'random' }],
      });
    for (const [name, from] of [
      ['first', 0],
      ['second', 1000],
    ] as const) {
      writeFileSync(join(home, `${name}.json`), plan(name, from));
      expect((await ludus(home, ['run', `${name}.json`, '--json'])).code).toBe(0);
    }
    const runs = JSON.parse((await ludus(home, ['list', 'runs', '--json'])).out) as { id: string }[];
    const idOf = (name: string) => runs.find(({ id }) => id.startsWith(name))!.id;
    const outcome = await ludus(home, ['judge', 'reward', idOf('first'), '--where', 'return>=1', '-o', 'mine.json', '--json']);
    expect(outcome.code).toBe(0);
    const { card } = JSON.parse(outcome.out);
    expect(card.auc.interval[0]).toBeGreaterThan(0.8);
    expect(card.twins.lower).toBe(card.twins.n);
    expect((await ludus(home, ['score', idOf('second'), '--scorers', './mine.json', '--json'])).code).toBe(0);
    const out = await ludus(home, ['data', 'export', '--run', idOf('second'), '--format', 'csv', '--where', 'reward/mine>=0.5']);
    const [head, ...rows] = out.out.trim().split('\n');
    const column = head!.split(',').indexOf('return');
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => row.split(',')[column] === '1').length / rows.length).toBeGreaterThan(0.9);
    expect(JSON.parse(readFileSync(join(home, 'mine.json'), 'utf8'))).toMatchObject({ seat: 'opener', rule: 'return>=1' });
    expect((await ludus(home, ['judge', 'reward', idOf('first'), '--where', 'return>=5', '-o', 'x.json'])).err).toMatch(
      /0 of \d+ are good/,
    );
    expect((await ludus(home, ['judge', 'reward', idOf('first'), '--where', 'return>=1', '-o', 'x.txt'])).err).toMatch(
      /Invalid file name "/,
    );
  });
});
