import { type EndEvent, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { distancesTo, isHeldOut } from '../grid.ts';
import { solve } from '../solve/index.ts';
import { frozenLake, lakes } from './frozen-lake.ts';
import { bestDirections, type Lake, solveUnlimited, withinSteps, worthOf } from './solve.ts';

const lakeOf = (layout: string, steady = 1 / 3): Lake => {
  const rows = layout.split('/');
  return { cells: rows.join(''), columns: rows[0]?.length as number, rows: rows.length, steady };
};
const small = lakeOf(lakes['4x4']);
const large = lakeOf(lakes['8x8']);
const chance = (lake: Lake, steps: number, play?: 'best' | 'blind') => withinSteps(lake, steps, play)[steps]?.[0] as number;
const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });

async function successes(script: Script, seeds: number, task: Json = {}): Promise<number> {
  const logs = await rollout(
    frozenLake,
    { walker: scriptedPolicy('one', script) },
    { seeds: Array.from({ length: seeds }, (_, i) => i), task },
  );
  return logs.reduce((sum, log) => sum + (log.at(-1) as EndEvent).returns['walker']!, 0) / seeds;
}
const script = (name: string) => frozenLake.scripts?.[name] as Script;

describe('value of a frozen lake', () => {
  it('without a step limit is 14/17 on 4×4 and 1 on 8×8', () => {
    expect(solveUnlimited(small)[0]).toBeCloseTo(14 / 17, 9);
    expect(solveUnlimited(large, 1, 1e-13)[0]).toBeCloseTo(1, 6);
    expect(solveUnlimited(lakeOf(lakes['4x4'], 0.8))[0]).toBeCloseTo(0.996927803, 9);
  });

  it('with a step limit matches the optimal time-dependent policy', () => {
    expect(chance(small, 100)).toBeCloseTo(0.744190288, 9);
    expect(chance(small, 200)).toBeCloseTo(0.816733505, 9);
    expect(chance(large, 100)).toBeCloseTo(0.64071927, 9);
    expect(chance(large, 200)).toBeCloseTo(0.91322015, 9);
    expect(chance(lakeOf(lakes['4x4'], 0.8), 100)).toBeCloseTo(0.8939539, 9);
  });

  it('with a step limit is lower for the best time-independent policy', () => {
    const still = solveUnlimited(small);
    let table = withinSteps(small, 0)[0]!;
    for (let left = 1; left <= 100; left++) {
      const before = table;
      table = Float64Array.from(small.cells, (mark, cell) => {
        if (mark === 'G' || mark === 'H') return mark === 'G' ? 1 : 0;
        return worthOf(small, before, cell, bestDirections(small, still, cell)[0]!);
      });
    }
    expect(table[0]).toBeCloseTo(0.740164898, 6);
    expect(table[0]).toBeLessThan(chance(small, 100));
  });

  it('is small for blind play, and matches the tables for a discount of 0.99', () => {
    expect(chance(small, 100, 'blind')).toBeCloseTo(0.0139398, 7);
    expect(chance(large, 200, 'blind')).toBeCloseTo(0.0019014, 7);
    expect(solveUnlimited(small, 0.99)[0]).toBeCloseTo(0.542025932, 9);
    expect(solveUnlimited(large, 0.99)[0]).toBeCloseTo(0.414640362, 9);
  });

  it('without slipping is 1 within the length of the shortest path', () => {
    for (const [lake, length] of [
      [lakeOf(lakes['4x4'], 1), 6],
      [lakeOf(lakes['8x8'], 1), 14],
    ] as const) {
      expect(distancesTo([lake.cells.length - 1], lake, (mark) => mark !== 'H')[0]).toBe(length);
      expect(chance(lake, length)).toBe(1);
      expect(chance(lake, length - 1)).toBe(0);
    }
  });

  it('matches the generic solver working from the rules alone', () => {
    const layout = 'SFH/FFG';
    const task = { layout, steps: 4 };
    const solution = solve(frozenLake, task);
    expect(solution.method).toBe('team');
    expect(solution.value).toBeCloseTo(chance(lakeOf(layout), 4), 12);
    expect(solution.uniform.value).toBeCloseTo(chance(lakeOf(layout), 4, 'blind'), 12);
  });
});

describe('frozen-lake walkers', () => {
  it('come within sampling error of the exact values', async () => {
    const near = (count: number, p: number, n: number) => Math.abs(count - p) < 4 * Math.sqrt((p * (1 - p)) / n);
    expect(near(await successes(script('optimal'), 200), 0.744190288, 200)).toBe(true);
    expect(near(await successes(random, 2000), 0.0139398, 2000)).toBe(true);
    expect(await successes(script('shortest'), 100)).toBeLessThan(0.2);
    expect(await successes(script('shortest'), 20, { steady: 1, map: 'generated' })).toBe(1);
  });
});

describe('generated lakes', () => {
  const lake = (seed: number, task: Json) => rollout(frozenLake, { walker: scriptedPolicy('random', random) }, { seeds: [seed], task });

  it('can be crossed, require movement, and differ between the splits', async () => {
    const observation = { train: new Set<string>(), 'held-out': new Set<string>() };
    for (const split of ['train', 'held-out'] as const)
      for (let seed = 0; seed < 40; seed++) {
        const [log] = await lake(seed, { map: 'generated', split, steps: 1 });
        const text = log?.find((event) => event.kind === 'message')?.text ?? '';
        const rows = text.split('\n').filter((line) => /^[SFHG@]+$/.test(line));
        const cells = rows.join('').replace('@', 'S');
        expect(isHeldOut(cells)).toBe(split === 'held-out');
        expect(distancesTo([cells.indexOf('G')], lakeOf(rows.join('/')), (mark) => mark !== 'H')[0]).toBeGreaterThan(0);
        observation[split].add(cells);
      }
    expect(observation.train.size).toBeGreaterThan(30);
    for (const cells of observation.train) expect(observation['held-out'].has(cells)).toBe(false);
  });
});

describe('frozen-lake task', () => {
  it.each(['SF/FGG', 'FF/FG', 'SS/FG', 'SH/HG', 'S?/FG', ''.padEnd(70, 'S')])('rejects the layout %s', (layout) => {
    expect(() => frozenLake.task({ layout })).toThrow(/frozen-lake: a (?:layout|map)/);
  });
});
