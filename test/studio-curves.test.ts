/** @file Curves of several trainings on one axis: means, bands and smoothing by hand, what differs in their settings; and round axes. */

import type { ComparedTraining } from '@ludus-agents/servers/internal/studio/api';
import { roundTicks } from '@ludus-agents/studio/internal/format';
import { differences, together } from '@ludus-agents/studio/internal/training/curves';
import { describe, expect, it } from 'vitest';

const run = (id: string, seed: number, points: readonly (readonly [number, number])[]): ComparedTraining => ({
  ...{ id, name: id, recipe: 'r', seed, config: { seed: String(seed), rate: '0.1' } },
  metrics: points.map(([games, exploitability]) => ({ games, exploitability })) as unknown as ComparedTraining['metrics'],
});

describe('training runs on one axis', () => {
  const named = (comparedTraining: ComparedTraining) => [comparedTraining.id, { colour: 1, kind: 0 }] as const;
  const runs = [
    run('a', 1, [
      [10, 1],
      [20, 3],
    ]),
    run('b', 2, [
      [10, 3],
      [30, 7],
    ]),
  ];

  it('show the mean and range of their seeds, interpolated and never extrapolated', () => {
    const { x, curves } = together(runs, { metric: 'exploitability', weight: 0, grouped: true, named });
    expect(x).toEqual([10, 20, 30]);
    expect(curves).toEqual([
      {
        name: 'a, 2 seeds',
        look: { colour: 1, kind: 0 },
        values: [2, 4, 7],
        band: [
          [1, 3],
          [3, 5],
          [7, 7],
        ],
      },
    ]);
  });

  it('show one line each without a band, smoothed only by past values', () => {
    const { curves } = together(runs, { metric: 'exploitability', weight: 0.5, grouped: false, named });
    // (0.5 · 1 · 0.5 + 0.5 · 3) / 0.75
    expect(curves.map(({ name, values, band }) => [name, values[0], band])).toEqual([
      ['a', 1, undefined],
      ['b', 3, undefined],
    ]);
    expect(curves[0]?.values[1]).toBeCloseTo(7 / 3, 12);
  });

  it('list the settings that differ between them', () => {
    expect(differences(runs)).toEqual([['seed', ['1', '2']]]);
    expect(differences([{ config: { a: '1' } }, { config: {} }])).toEqual([['a', ['1', undefined]]]);
  });
});

describe('an axis', () => {
  it('has round ticks that span every value', () => {
    expect(roundTicks(0, 1)).toEqual([0, 0.5, 1]);
    expect(roundTicks(-0.338, 0.338)).toEqual([-0.4, -0.2, 0, 0.2, 0.4]);
    expect(roundTicks(832.9, 1206)).toEqual([800, 900, 1000, 1100, 1200, 1300]);
    expect(roundTicks(-1, 1)).toEqual([-1, -0.5, 0, 0.5, 1]);
    for (const [low, high] of [
      [3, 3.0001],
      [-7e5, 2],
      [0.1, 0.7],
    ] as const) {
      const ticks = roundTicks(low, high);
      expect(ticks[0]).toBeLessThanOrEqual(low);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(high);
      expect(ticks.length).toBeLessThan(8);
    }
  });
});
