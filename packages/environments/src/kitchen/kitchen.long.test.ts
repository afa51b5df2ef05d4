import { expect, it } from 'vitest';
import { kitchenLayout, kitchens } from './layout.ts';
import { firstSoup, kitchenGraph, mostSoups, soupsByChance } from './solve.cases.ts';

const rules = (selfStarting: boolean) => ({ selfStarting, counters: false });

it.each([
  ['cramped', 33, 34],
  ['asymmetric', 31, 31],
  ['ring', 42, 43],
  ['forced', 39, 40],
  ['circuit', 52, 53],
] as const)('fastest soup in the %s kitchen takes %i ticks, or %i if a cook starts the pot', (name, itself, started) => {
  const layout = kitchenLayout(kitchens[name]);
  // In the forced kitchen things are handed over the three counters in the middle.
  const shelves = name === 'forced' ? [7, 12, 17].map((cell) => layout.index[cell]!) : [];
  expect(firstSoup(layout, { rules: rules(true), shelves })).toBe(itself);
  expect(firstSoup(layout, { rules: rules(false), shelves })).toBe(started);
});

it('cramped kitchen has the exact state count, best soup schedule, and random score', () => {
  const graph = kitchenGraph(kitchenLayout(kitchens.cramped), { rules: rules(true) });
  expect(graph.states).toBe(125_266);
  const soups = mostSoups(graph, 400);
  expect([1, 2, 3, 13].map((most) => soups.indexOf(most))).toEqual([33, 63, 93, 393]);
  expect(soups[400]).toBe(13);
  expect(soupsByChance(graph, 400)).toBeCloseTo(0.104286, 6);
});
