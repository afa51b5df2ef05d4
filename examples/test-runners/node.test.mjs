import assert from 'node:assert/strict';
import test from 'node:test';
import { assertPasses, simulate } from 'ludus-agents/testing';
import { makeBot, makeWrongBot } from './bot.mjs';
import { customer, policy } from './locker.mjs';

test('the bot keeps to the policy', async () => {
  assertPasses(await simulate(makeBot(), { customer, policy }));
});

test('a wrong price is named', async () => {
  const run = await simulate(makeWrongBot(), { customer, policy });
  assert.throws(() => assertPasses(run), /12 a month/);
});

test('the conversation can end early', async () => {
  const run = await simulate(makeBot(), { customer, policy, until: (lines) => lines.length >= 2 });
  assert.equal(run.lines.length, 2);
});
