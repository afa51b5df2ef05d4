/** @file Error rates of the gate for every kind of component, measured with so many edits that chance can hardly hide a fault. */

import { expect, it } from 'vitest';
import { componentKinds, idleEdits } from './idle-edits.cases.ts';

/** The chance that the mean of 24 differences of two fair coins is above 1.15 standard errors, counted over all outcomes. */
const exact = 0.1358737;

it.each(Object.keys(componentKinds))('idle edits of %s pass at the exact rate and are reported without bias', async (name) => {
  const { made, accepted, reported } = await idleEdits(componentKinds[name]!, 5000);
  expect(made).toBeGreaterThan(3000);
  expect(Math.abs(accepted / made - exact)).toBeLessThan(3.5 * Math.sqrt((exact * (1 - exact)) / made));
  expect(Math.abs(reported - 0.5)).toBeLessThan(3.5 * Math.sqrt(0.25 / (50 * accepted)));
});
