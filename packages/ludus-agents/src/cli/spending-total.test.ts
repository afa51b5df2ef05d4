/** @file One total: the reported spending of every command equals the count of the model server. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineNames } from '@ludus-agents/learning/internal/prompts/engines/names';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { price, type SpendingServer, startSpendingServer } from '../../../../test/attacks/spending-server.ts';
import { amount } from '../../../../test/fixtures/amount.ts';
import { until } from '../../../../test/fixtures/until.ts';
import { folder, ludus } from './terminal.cases.ts';

let server: SpendingServer;
const cwd = folder();
const model = () => `${server.url}#m`;

beforeAll(async () => {
  server = await startSpendingServer({ failure: 'error', share: 0 });
  const agent = {
    name: 'clerk',
    kind: 'llm',
    model: model(),
    texts: { instruction: 'Play well.' },
    settings: { maxTokens: 40, temperature: 0.5 },
  };
  writeFileSync(join(cwd, 'agent.json'), JSON.stringify(agent));
  const scene = { environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
  writeFileSync(join(cwd, 'suite.json'), JSON.stringify({ name: 'poker', nulls: ['random'], seeds: 3, scenes: [scene] }));
  const items = [{ id: 'move', text: 'Will you move?', options: ['yes', 'no'] }];
  writeFileSync(join(cwd, 'questions.json'), JSON.stringify({ name: 'town', items }));
  const casts = [{ first: `llm:${model()}`, second: 'random' }];
  const byWorkers = { name: 'by-workers', environments: ['kuhn-poker'], seeds: 4, casts };
  writeFileSync(join(cwd, 'workers.json'), JSON.stringify(byWorkers));
  writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ name: 'plan', environments: ['kuhn-poker'], seeds: 4, casts }));
});
afterAll(() => server.close());
beforeEach(() => Object.assign(server.spent, { calls: 0, tokens: 0, money: 0 }));

/** The total that a command has written, as numbers. */
function totalIn(err: string) {
  const [, calls = '', tokens = '', money = ''] =
    /Spent: ([\d,]+) model calls?, (?:at most )?([\d,]+) tokens?, (price unknown|\$[\d.]+)\./.exec(err) ?? [];
  const plain = (text: string) => Number(text.replaceAll(',', ''));
  return { calls: plain(calls), tokens: plain(tokens), money };
}

async function expectTrueTotal(words: readonly string[], from = cwd): Promise<string> {
  const { err, out } = await ludus(from, words);
  expect(server.spent.calls, err).toBeGreaterThan(0);
  expect(totalIn(err), err).toEqual({ calls: server.spent.calls, tokens: server.spent.tokens, money: 'price unknown' });
  expect(err.match(/Spent: /g)).toHaveLength(1);
  return out;
}

describe('the spending total', () => {
  it.each([
    ['eval', 'games-core', '--agents', 'llm:MODEL', '--seeds', '1', '--yes'],
    ['arena', 'kuhn-poker', '--agents', 'llm:MODEL,random', '--games', '4', '--yes'],
    ['run', 'plan.json', '--yes'],
    ['attack', './agent.json', '--with', 'guard', '--budget', '6'],
    ['survey', './questions.json', '--population', 'customers', '-n', '2', '--agent', 'llm:MODEL', '--yes'],
    ['score', 'plan', '--rubric', 'haicosystem', '--judge', 'MODEL'],
    ['train', 'best-response', '--environment', 'kuhn-poker', '--against', 'llm:MODEL', '--games', '6', '--name', 'b'],
    [
      ...['train', 'frozen-lake-tabular', '--games', '4', '--name', 'judged', '--set'],
      'rewards={"environment":{"weight":1},"judge":{"weight":1,"by":"verdict:llm:MODEL"}}',
    ],
    ['run', 'workers.json', '--workers', '2', '--yes'],
    ['judge', 'trust', 'sotopia', '--judge', 'MODEL', '--max-calls', '6'],
    ['compare', './agent.json', './agent.json', '--on', './suite.json', '--plays', '4'],
  ])('of %s equals the count of the server', async (...words) => {
    await expectTrueTotal(words.map((word) => word.replace('MODEL', model())));
  });

  // All engines spend through one evaluator: every second one, and all of them in `npm run test:long`.
  it.each(engineNames.filter((name) => name !== 'together').filter((_, i) => i % amount(2, 1) === 0))(
    'of improve with %s equals the count of the server, without double counting',
    async (engine) => {
      const here = join(cwd, engine);
      mkdirSync(here);
      const words = ['improve', '../agent.json', '--on', '../suite.json', '--engine', engine, '--proposer', model(), '--budget', '8'];
      const out = await expectTrueTotal([...words, '--tasks', '2,2,4', '--yes', '--json'], here);
      const report = JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, unknown>;
      const observation = { calls: server.spent.calls, tokens: server.spent.tokens, money: null };
      expect(report).toMatchObject({ total: observation, spending: observation });
    },
  );

  it('of a stopped and resumed improvement includes the canceled calls', async () => {
    const here = join(cwd, 'stopped');
    mkdirSync(here);
    const words = ['improve', '../agent.json', '--on', '../suite.json', '--engine', 'gepa', '--proposer', model(), '--budget', '8'];
    const command = [...words, '--tasks', '2,2,4', '--yes', '--json'];
    const stopped = await ludus(here, command, {
      during: (interrupt) => {
        server.onCall = () => {
          if (server.spent.calls === 5) interrupt();
        };
      },
    });
    server.onCall = () => {};
    expect(stopped.code, stopped.err).toBe(130);
    const { calls } = server.spent;
    const resumed = await ludus(here, command);
    expect(totalIn(resumed.err).calls).toBe(server.spent.calls - calls);
    const { total } = JSON.parse(resumed.out.trim().split('\n').at(-1)!) as { total: { calls: number; uncounted: number } };
    expect(total.calls).toBe(server.spent.calls);
    expect(total.uncounted).toBeGreaterThan(0);
  });

  it('has calls that a stopped command leaves under way, at most what they may take and at an unknown price', async () => {
    const here = folder();
    const slow = `import { writeFileSync } from 'node:fs';
export default { id: 'slow', async complete() {
  writeFileSync(new URL('./called', import.meta.url), '');
  await new Promise(() => undefined);
  return { model: 'slow', text: 'x', finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: null };
} };
`;
    writeFileSync(join(here, 'slow.mjs'), slow);
    writeFileSync(join(here, 'agent.json'), JSON.stringify({ name: 'slow', kind: 'llm', model: './slow.mjs' }));
    const { code, err } = await ludus(here, ['arena', 'kuhn-poker', '--agents', './agent.json,random', '--games', '2', '--yes'], {
      during: async (interrupt) => {
        await until(() => existsSync(join(here, 'called')));
        interrupt();
      },
    });
    expect(code, err).toBe(130);
    expect(err).toMatch(/Spent: \d+ model calls?, at most [\d,]+ tokens, price unknown\. No call reported tokens/);
  });

  it('counts retried and failed calls as often as the server was called', async () => {
    const broken = await startSpendingServer({ failure: 'error', share: 1, status: 400 });
    const { err } = await ludus(folder(), ['arena', 'kuhn-poker', '--agents', `llm:${broken.url}#m,random`, '--games', '2', '--yes']);
    expect(totalIn(err).calls, err).toBe(broken.spent.calls);
    expect(err).toContain('at most');
    broken.close();
  });

  it('has no tokens if no server is listening', async () => {
    const gone = await startSpendingServer({ failure: 'error', share: 0 });
    gone.close();
    const { err } = await ludus(folder(), ['arena', 'kuhn-poker', '--agents', `llm:${gone.url}#m,random`, '--games', '2', '--yes']);
    expect(err).toMatch(/tokens unknown|, 0 tokens/);
    expect(err).not.toContain('at most');
  });

  it('is in dollars if the price is known, and null in JSON otherwise', async () => {
    const prices = join(cwd, 'prices.json');
    writeFileSync(prices, JSON.stringify({ [model()]: price }));
    const words = ['arena', 'kuhn-poker', '--agents', `llm:${model()},random`, '--games', '2', '--yes', '--json'];
    const unpriced = await ludus(folder(), words);
    expect(JSON.parse(unpriced.out)).toMatchObject({ spending: { calls: server.spent.calls, money: null, cached: 0 } });
    Object.assign(server.spent, { calls: 0, tokens: 0, money: 0 });
    // Models are made once in a process, with the prices of that time: another name is another model.
    const other = `${server.url}#priced`;
    writeFileSync(prices, JSON.stringify({ [other]: price }));
    process.env['LUDUS_PRICES'] = prices;
    try {
      const { out } = await ludus(
        folder(),
        words.map((word) => word.replace('#m', '#priced')),
      );
      expect((JSON.parse(out) as { spending: { money: number } }).spending.money).toBeCloseTo(server.spent.money, 6);
    } finally {
      delete process.env['LUDUS_PRICES'];
    }
  });

  it('lists cached answers separately, which are not spending', async () => {
    process.env['LUDUS_ANSWERS'] = join(cwd, 'answers');
    try {
      const words = ['arena', 'kuhn-poker', '--agents', `llm:${server.url}#kept,random`, '--games', '2', '--yes', '--json'];
      const first = await ludus(folder(), words);
      const { calls } = server.spent;
      const again = await ludus(folder(), words);
      const spendingIn = ({ out }: { readonly out: string }) =>
        (JSON.parse(out) as { spending: { calls: number; cached: number } }).spending;
      expect(server.spent.calls).toBe(calls);
      expect(spendingIn(first).calls).toBe(calls);
      expect(spendingIn(again)).toEqual({ calls: 0, tokens: 0, money: 0, cached: spendingIn(first).calls + spendingIn(first).cached });
    } finally {
      delete process.env['LUDUS_ANSWERS'];
    }
  });

  it('is not printed without model calls or with only the fake model', async () => {
    for (const agent of ['scripted', 'llm:fake'])
      expect((await ludus(cwd, ['arena', 'kuhn-poker', '--agents', `random,${agent}`, '--games', '4', '--yes'])).err).not.toContain(
        'Spent',
      );
  });

  it.each([
    ['eval', './suite.json', '--agents', './agent.json', '--yes'],
    ['arena', 'kuhn-poker', '--agents', 'llm:MODEL,random', '--games', '4', '--yes'],
    ['run', 'plan.json', '--yes'],
    ['run', 'workers.json', '--workers', '1', '--yes'],
    ['attack', './agent.json', '--with', 'guard', '--budget', '6'],
    ['survey', './questions.json', '--population', 'customers', '-n', '2', '--agent', 'llm:MODEL', '--yes'],
    ['score', 'plan', '--rubric', 'haicosystem', '--judge', 'MODEL'],
    ['train', 'best-response', '--environment', 'kuhn-poker', '--against', 'llm:MODEL', '--games', '6', '--name', 'unpriced'],
    ['judge', 'trust', 'sotopia', '--judge', 'MODEL'],
    ['play', 'kuhn-poker', '--agents', 'llm:MODEL,random'],
    ['chat', 'innkeeper', '--model', 'MODEL'],
    ['persona', 'probe', 'innkeeper', '--agent', 'llm:MODEL'],
    ['env', 'coverage', 'kuhn-poker', '--agent', 'llm:MODEL'],
    ['improve', './agent.json', '--on', './suite.json', '--proposer', 'random', '--budget', '8', '--yes', '--name', 'priceless'],
  ])('of %s cannot be limited in dollars with an unknown price, which is reported before any call', async (...words) => {
    const { code, err } = await ludus(cwd, [...words.map((word) => word.replace('MODEL', model())), '--max-cost', '1'], {
      typed: 'Hello.\n',
    });
    expect([code, server.spent.calls], err).toEqual([2, 0]);
    expect(err).toContain('LUDUS_PRICES');
    expect(err).not.toContain('is spent');
  });

  it('of improve cannot be limited in dollars with an unknown price, which is reported before any call', async () => {
    const words = ['improve', './agent.json', '--on', './suite.json', '--budget', '$1', '--yes', '--name', 'unpriced'];
    const { code, err } = await ludus(cwd, words);
    expect([code, server.spent.calls]).toEqual([2, 0]);
    expect(err).toContain('LUDUS_PRICES');
    expect(err).not.toContain('is spent');
  });
});
