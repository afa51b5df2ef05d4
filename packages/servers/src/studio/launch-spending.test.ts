/** @file Spending of runs started in the studio: the studio's total equals the count of the model server. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpendingServer, startSpendingServer } from '../../../../test/attacks/spending-server.ts';
import { until } from '../../../../test/fixtures/until.ts';
import type { JobsShown, LaunchBegun, ModelsShown } from './api.ts';
import { type OpenStudio, openStudio } from './request.cases.ts';

let studio: OpenStudio;
let server: SpendingServer;
beforeAll(async () => {
  server = await startSpendingServer({ failure: 'error', share: 0 });
  studio = await openStudio();
  await studio.ask('PUT', '/api/models/endpoints/here', { url: server.url, model: 'm' });
  const agent = { name: 'clerk', kind: 'llm', model: 'here/m', texts: { instruction: 'Play well.' }, settings: { maxTokens: 40 } };
  writeFileSync(join(studio.cwd, 'agent.json'), JSON.stringify(agent));
  const scene = { environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
  writeFileSync(join(studio.cwd, 'suite.json'), JSON.stringify({ name: 'poker', nulls: ['random'], seeds: 3, scenes: [scene] }));
  const judged = { ...scene, score: 'judge=sotopia,here/m' };
  writeFileSync(join(studio.cwd, 'judged.json'), JSON.stringify({ name: 'judged', nulls: ['random'], seeds: 2, scenes: [judged] }));
});
afterAll(async () => {
  await studio.close();
  server.close();
});

const spentSoFar = async () => (await studio.ask<ModelsShown>('GET', '/api/models')).body.spent;
const questionnaire = JSON.stringify({ name: 'town', items: [{ id: 'move', text: 'Will you move?', options: ['yes', 'no'] }] });

const judgedRewards = JSON.stringify({ environment: { weight: 1 }, judge: { weight: 1, by: 'verdict:llm:here/m' } });

describe('the spending total of the studio', () => {
  it.each([
    { what: 'run', environments: ['kuhn-poker'], agents: ['llm:here/m'], against: 'random', seeds: 4 },
    { what: 'eval', suite: './suite.json', agents: ['./agent.json'] },
    { what: 'eval', suite: './judged.json', agents: ['./agent.json'] },
    { what: 'train', recipe: 'frozen-lake-tabular', games: 4, settings: { rewards: judgedRewards } },
    { what: 'arena', environments: ['kuhn-poker'], agents: ['llm:here/m', 'random'], games: 4 },
    { what: 'attack', agents: ['./agent.json'], attack: 'guard', games: 6 },
    { what: 'probe', persona: 'innkeeper', agents: ['llm:here/m'], number: 4 },
    { what: 'survey', questionnaire, population: 'customers', number: 2, agents: ['llm:here/m'] },
    { what: 'improve', agents: ['./agent.json'], suite: './suite.json', engine: 'gepa', proposer: 'here/m', calls: 24 },
    { what: 'improve', agents: ['./agent.json'], suite: './suite.json', engine: 'random', from: 2, calls: 24 },
  ])('equals what the server counted after $what', async (form) => {
    const before = { ...server.spent };
    const spentBefore = await spentSoFar();
    const { status, body } = await studio.ask<LaunchBegun & { readonly error?: string }>('POST', '/api/launch', form);
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    const jobs = await until(
      async () => (await studio.ask<JobsShown>('GET', '/api/jobs')).body,
      ({ running }) => running.length === 0,
    );
    expect(jobs.ended.at(-1)?.error).toBeNull();
    const after = await spentSoFar();
    const counted = { calls: server.spent.calls - before.calls, tokens: server.spent.tokens - before.tokens };
    expect(counted.calls).toBeGreaterThan(0);
    expect({ calls: after.calls - spentBefore.calls, tokens: after.tokens - spentBefore.tokens }).toEqual(counted);
    expect(after).toMatchObject({ money: 0, unpriced: after.calls });
  });

  it('never exceeds the limit while two training runs spend at the same time', async () => {
    const { calls } = await spentSoFar();
    const before = server.spent.calls;
    await studio.ask('PUT', '/api/models/budget', { calls: calls + 30 });
    const settings = { rewards: judgedRewards };
    const form = { what: 'train', recipe: 'frozen-lake-tabular', games: 40, from: 50, seeds: 2, settings };
    expect((await studio.ask('POST', '/api/launch', form)).status).toBe(200);
    await until(
      async () => (await studio.ask<JobsShown>('GET', '/api/jobs')).body,
      ({ running }) => running.length === 0,
    );
    const after = await spentSoFar();
    expect([after.calls - calls, server.spent.calls - before]).toEqual([30, 30]);
    expect(after.tokens).toBeGreaterThanOrEqual(server.spent.tokens);
    // Tokens of calls that were cut off are known as a limit only.
    if (after.tokens > server.spent.tokens) expect(after.uncounted).toBeGreaterThan(0);
  });
});
