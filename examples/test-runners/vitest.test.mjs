import { matchers, simulate } from 'ludus-agents/testing';
import { expect, test } from 'vitest';
import { makeBot, makeWrongBot } from './bot.mjs';
import { customer, policy } from './locker.mjs';

expect.extend(matchers);

test('the bot keeps to the policy', async () => {
  expect(await simulate(makeBot(), { customer, policy })).toPass(policy);
});

test('a wrong price is named', async () => {
  const run = await simulate(makeWrongBot(), { customer, policy });
  expect(run).not.toPass();
  expect(run.faults.map(({ fault }) => fault)).toContain('wrong-answer');
});

test('the conversation can end early', async () => {
  const run = await simulate(makeBot(), { customer, policy, until: (lines) => lines.length >= 2 });
  expect(run.lines).toHaveLength(2);
});
