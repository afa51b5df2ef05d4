/** @file Assertions about simulated conversations: they pass where the conversation does, and say what is wrong where it does not. */

import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';
import { assertPasses, matchers } from './test-runner.ts';

const policy = '- A locker costs 8 a month.';
const customer = { says: [{ ask: 'What does a locker cost a month?', tell: [8] }] };

it('toPass accepts a bot that follows the policy', async () => {
  const run = await simulate(() => 'A locker costs 8 a month.', { customer, policy });
  expect(matchers.toPass(run).pass).toBe(true);
  expect(() => assertPasses(run)).not.toThrow();
});

it('toPass shows the fault and the transcript of a failing bot', async () => {
  const run = await simulate(() => 'A locker costs 12 a month.', { customer, policy });
  expect(matchers.toPass(run).message()).toMatch(/does not pass[\s\S]*A locker costs 12 a month/);
  expect(() => assertPasses(run)).toThrow('A locker costs 12 a month.');
});

it('toPass can judge the same conversation by another policy', async () => {
  const run = await simulate(() => 'A locker costs 8 a month.', { customer, policy });
  expect(matchers.toPass(run, '- A locker costs 5 a month.').pass).toBe(false);
});

it('toPass fails on unchecked rules in strict mode', async () => {
  const run = await simulate(() => 'A locker costs 8 a month.', { customer, policy: `${policy}\n- Always speak in rhymes.` });
  expect(matchers.toPass(run).pass).toBe(true);
  expect(matchers.toPass(run).message()).toContain('Always speak in rhymes.');
  expect(() => assertPasses(run, undefined, { strict: true })).toThrow('Always speak in rhymes.');
  expect(matchers.toPass(run, policy, { strict: true }).pass).toBe(true);
});
