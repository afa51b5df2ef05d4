/** @file Two rewards against each other: a planner that is charged for its words asks for less, and the front says what that costs. */

import { onFront } from '@ludus-agents/learning/internal/training/reward-front';
import { expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

it('onFront excludes dominated points and keeps equal ones', () => {
  const points = [
    { utility: 1, cost: 5 },
    { utility: 0.9, cost: 6 },
    { utility: 0.5, cost: 1 },
    { utility: 0.5, cost: 1 },
    { utility: 0.4, cost: 1 },
  ];
  expect(onFront(points)).toEqual([true, false, true, true, false]);
});

it('training reduces questions once their cost exceeds their value: 0.67 for ten words', async () => {
  const weights = 'rewards.cost.weight=0,-0.05,-0.1';
  const { code, out } = await ludus(folder(), [
    ...['train', 'sweep', 'ai-search-planner', '--front', 'cost', '--seeds', '1', '--games', '800', '--json', '--try', weights],
  ]);
  expect(code).toBe(0);
  const [free, cheap, dear] = JSON.parse(out.trim().split('\n').at(-1)!) as { utility: number; cost: number; front: boolean }[];
  expect([free!.cost, cheap!.cost].every((cost) => cost > 10)).toBe(true);
  expect([free!.utility, cheap!.utility].every((utility) => utility > 0.9)).toBe(true);
  // The control: one word finds a third of the answers, for a sixth of the words.
  expect(dear!.cost).toBeLessThan(4);
  expect(dear!.utility).toBeLessThan(0.6);
  expect([free!.front || cheap!.front, dear!.front]).toEqual([true, true]);
  const refused = await ludus(folder(), ['train', 'sweep', 'kuhn-rae', '--front', 'cost']);
  expect(refused.err).toContain('no reward channel "cost"');
});
