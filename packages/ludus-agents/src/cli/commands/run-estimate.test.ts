/** @file The estimated cost of a plan: from earlier episodes, from a pilot, and with unknown prices reported. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CostEstimate, measureSpan } from '@ludus-agents/evaluation/internal/estimate';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const plan = (seeds: unknown, agent: unknown, more: object = {}) =>
  JSON.stringify({ environments: ['kuhn-poker'], seeds, casts: [{ '*': agent }], ...more });

async function estimated(typed: string, store = 'none.sqlite'): Promise<CostEstimate> {
  const { code, out, err } = await ludus(here, ['run', '--dry-run', '-', '--json', '--store', store], { typed });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as CostEstimate;
}

describe('estimate', () => {
  it('is zero without models', async () => {
    const costEstimate = await estimated(plan(10, 'random'));
    expect(costEstimate).toMatchObject({ episodes: 10, calls: { likely: 0, high: 0 }, money: { likely: 0 }, unpriced: [] });
    const { out } = await ludus(here, ['run', '--dry-run', '-'], { typed: plan(10, 'random') });
    expect(out).toContain('no models, no cost');
  });

  it('covers agents that make several calls per turn', async () => {
    const answer = 'fake/Tool: run_code {"code": "return 1"}';
    const agents = [
      { name: 'Eve', kind: 'llm', model: answer, tools: ['sandbox'], settings: { architecture: 'react', steps: 2 } },
      { name: 'Eve', kind: 'llm', model: 'fake', settings: { architecture: 'jekyll-hyde', steps: 2 } },
    ];
    for (const [i, agent] of agents.entries()) {
      const typed = JSON.stringify({
        name: `several-${i}`,
        environments: ['kuhn-poker'],
        seeds: 2,
        casts: [{ first: agent, second: 'random' }],
      });
      const { calls } = await estimated(typed);
      const { out } = await ludus(here, ['run', '-', '--yes', '--json', '--store', `several-${i}.sqlite`], { typed });
      const { spent } = JSON.parse(out) as { spent: { calls: number } };
      expect(spent.calls).toBeGreaterThan(4);
      expect(calls.high).toBeGreaterThanOrEqual(spent.calls);
    }
  });

  it('comes from a pilot without earlier episodes, and states its assumptions', async () => {
    const costEstimate = await estimated(plan(100, 'llm:openai/gpt-5-mini'));
    expect(costEstimate.parts[0]).toMatchObject({ basis: 'pilot', seen: 3, models: ['openai/gpt-5-mini'] });
    // Two or three decisions a hand, and never more than the world allows.
    expect(costEstimate.calls.likely).toBeGreaterThanOrEqual(200);
    expect(costEstimate.calls.likely).toBeLessThanOrEqual(400);
    // Both are rounded, so they agree to half a call.
    expect(Math.abs(costEstimate.completionTokens.likely - costEstimate.calls.likely * 80)).toBeLessThanOrEqual(40);
    const { money, promptTokens, completionTokens } = costEstimate;
    // List prices: a quarter of a dollar and two dollars a million.
    expect(money?.likely).toBeCloseTo((promptTokens.likely * 0.25 + completionTokens.likely * 2) / 1e6, 4);
    const { out } = await ludus(here, ['run', '--dry-run', '-'], { typed: plan(100, 'llm:openai/gpt-5-mini') });
    expect(out.replace(/\s+/g, ' ')).toContain('from a pilot with the fake model; assumes 80 tokens per answer (30 to 250)');
  });

  it('names unknown prices, and uses given ones', async () => {
    const name = 'http://localhost:9/v1#policy';
    const costEstimate = await estimated(plan(10, `llm:${name}`));
    expect(costEstimate).toMatchObject({ money: null, unpriced: [name] });
    const { out } = await ludus(here, ['run', '--dry-run', '-'], { typed: plan(10, `llm:${name}`) });
    expect(out).toContain(`the price of ${name} is not known`);
    writeFileSync(join(here, 'prices.json'), JSON.stringify({ [name]: { prompt: 1, completion: 1 } }));
    const priced = await ludus(here, ['run', '--dry-run', '-', '--json'], {
      typed: plan(10, `llm:${name}`),
      env: { LUDUS_PRICES: join(here, 'prices.json') },
    });
    const { money, promptTokens, completionTokens } = JSON.parse(priced.out) as CostEstimate;
    expect(money?.likely).toBeCloseTo((promptTokens.likely + completionTokens.likely) / 1e6, 5);
  });

  it('counts an earlier episode once, even if several tasks use it', async () => {
    const environments = [{ environment: 'codebreaker', tasks: [10, 11, 12, 13, 14, 15].map((top) => ({ mode: 'number', top })) }];
    const typed = (seeds: unknown) => JSON.stringify({ environments, seeds, casts: [{ breaker: 'llm:fake' }] });
    expect((await ludus(here, ['run', '-', '--yes', '--store', 'once.sqlite'], { typed: typed(2) })).code).toBe(0);
    const { parts, seen } = await estimated(typed({ from: 10, count: 2 }), 'once.sqlite');
    expect([seen, parts.length]).toEqual([12, 6]);
    const { out } = await ludus(here, ['run', '--dry-run', '-', '--store', 'once.sqlite'], { typed: typed({ from: 10, count: 2 }) });
    expect(out).toContain('from 12 earlier episodes');
  });

  it('counts episodes that are played again because a prompt was edited', async () => {
    const typed = (instruction: string) =>
      JSON.stringify({
        name: 'edited',
        environments: ['kuhn-poker'],
        seeds: 3,
        casts: [{ '*': { name: 'clerk', kind: 'llm:fake', texts: { instruction } } }],
      });
    expect((await ludus(here, ['run', '-', '--yes', '--store', 'edited.sqlite'], { typed: typed('Bet.') })).code).toBe(0);
    expect((await estimated(typed('Bet.'), 'edited.sqlite')).episodes).toBe(0);
    expect((await estimated(typed('Fold.'), 'edited.sqlite')).episodes).toBe(3);
  });

  it('comes from earlier episodes, and the next run falls within its range', async () => {
    const first = plan(30, 'llm:fake', { name: 'first' });
    expect((await ludus(here, ['run', '-', '--yes', '--store', 'seen.sqlite'], { typed: first })).code).toBe(0);
    const next = plan({ from: 1000, count: 60 }, 'llm:fake', { name: 'next' });
    const costEstimate = await estimated(next, 'seen.sqlite');
    expect(costEstimate.parts[0]).toMatchObject({ basis: 'store', seen: 30 });
    const { out } = await ludus(here, ['run', '-', '--yes', '--json', '--store', 'seen.sqlite'], { typed: next });
    const { spent } = JSON.parse(out) as { spent: { calls: number; tokens: number } };
    expect(spent.calls).toBeGreaterThanOrEqual(costEstimate.calls.low);
    expect(spent.calls).toBeLessThanOrEqual(costEstimate.calls.high);
    expect(spent.tokens).toBeGreaterThanOrEqual(costEstimate.promptTokens.low + costEstimate.completionTokens.low);
    expect(spent.tokens).toBeLessThanOrEqual(costEstimate.promptTokens.high + costEstimate.completionTokens.high);
    // What is played already need not be played again.
    expect(await estimated(next, 'seen.sqlite')).toMatchObject({ episodes: 0, calls: { likely: 0 } });
    // Another cast has not been seen.
    expect((await estimated(plan(5, { name: 'Ann', kind: 'llm', model: 'fake' }), 'seen.sqlite')).parts[0]).toMatchObject({
      basis: 'pilot',
    });
  });

  it('is shown before a run starts', async () => {
    const { err } = await ludus(here, ['run', '-', '--yes'], { typed: plan(4, 'llm:fake', { budget: { money: 1 } }) });
    expect(err).toMatch(/about \d+ \(\d+ to \d+\) model calls with [\d,]+ tokens; nothing to pay/);
    expect(err).toContain('from a pilot with the fake model');
    expect(err).toContain('it stops at $1.00');
  });

  it('respects limits', async () => {
    const costEstimate = await estimated(plan(10, 'llm:fake', { limits: { calls: 1 } }));
    expect(costEstimate.calls.high).toBeLessThanOrEqual(10);
  });

  it('has a range of two standard errors on each side', () => {
    // Mean 4, deviation 2, four seen: 2 · 2 · √(9 + 81 / 4) around 36.
    const { low, likely, high } = measureSpan(
      [2, 4, 4, 6].map((value) => (value - 4) * Math.sqrt(1.5) + 4),
      9,
    );
    expect(likely).toBeCloseTo(36, 12);
    expect(high - likely).toBeCloseTo(4 * Math.sqrt(9 + 81 / 4), 12);
    expect(likely - low).toBeCloseTo(4 * Math.sqrt(9 + 81 / 4), 12);
  });
});

describe('models', () => {
  it('tests the named ones, and exits with 1 if one does not answer', async () => {
    const { code, out } = await ludus(here, ['models', 'fake', '--json']);
    expect({ code, found: JSON.parse(out) }).toMatchObject({ code: 0, found: [{ name: 'fake', ready: true, price: { prompt: 0 } }] });
    const wrong = await ludus(here, ['models', 'fake', 'nonsense']);
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('Unknown model "nonsense"');
  });

  it('are listed without a name, within the screen width', async () => {
    const { code, out } = await ludus(here, ['models'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ {2}fake/m);
    expect(out).toContain('OPENAI_API_KEY');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
