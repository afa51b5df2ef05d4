/** @file Whole commands against a model server that misbehaves: the budget holds, the command ends, and it says what was wrong. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folder, ludus, type Outcome } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';
import { amount } from '../fixtures/amount.ts';
import { turns } from '../fixtures/until.ts';
import { type Failure, type SpendingServer, startSpendingServer } from './spending-server.ts';

let server: SpendingServer;

/** Waits between tries pass at once; sockets take the time that they take. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

async function runToEnd(cwd: string, args: readonly string[]): Promise<Outcome> {
  let outcome: Outcome | undefined;
  const running = ludus(cwd, args).then((ended) => {
    outcome = ended;
  });
  while (outcome === undefined) {
    await vi.advanceTimersByTimeAsync(250);
    await turns(20);
  }
  await running;
  return outcome;
}

async function stage(failure: Failure, status: number): Promise<{ readonly cwd: string; readonly model: string }> {
  server = await startSpendingServer({ failure, share: 1, status });
  const cwd = folder();
  const model = `${server.url}#m`;
  const spec = { name: 'clerk', kind: 'llm', model, texts: { instruction: 'Play well.' }, settings: { maxTokens: 40, temperature: 0.5 } };
  writeFileSync(join(cwd, 'agent.json'), JSON.stringify(spec));
  const scene = { environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
  writeFileSync(join(cwd, 'suite.json'), JSON.stringify({ name: 'poker', nulls: ['random'], seeds: 3, scenes: [scene] }));
  return { cwd, model };
}

const commands: Readonly<Record<string, (model: string) => readonly string[]>> = {
  improve: (model) => [
    ...['improve', './agent.json', '--on', './suite.json', '--engine', 'gepa', '--proposer', model],
    ...['--budget', '8', '--tasks', '2,2,4', '--yes'],
  ],
  attack: () => ['attack', './agent.json', '--with', 'guard', '--budget', '6'],
  'train with a judge': (model) => [
    ...['train', 'frozen-lake-tabular', '--games', '8', '--name', 'judged'],
    ...['--set', `rewards={"environment":{"weight":1},"judge":{"weight":1,"by":"verdict:llm:${model}"}}`],
  ],
};

const failures: readonly (readonly [string, Failure, number])[] = [
  ['refuses every call with 429', 'error', 429],
  ['cuts every answer off', 'cut', 500],
  ['counts no tokens', 'uncounted', 500],
  ['has counts that are not numbers', 'absurd', 500],
  ['has counts below zero', 'negative', 500],
  ['sends 40 megabytes', 'huge', 500],
];

describe.each(Object.entries(commands))('%s', (name, wordsFor) => {
  // Every command reads answers by the same client; `npm run test:long` has all of them read 40 megabytes.
  const tried = failures.filter(([, failure]) => failure !== 'huge' || name === 'attack' || amount(0, 1) === 1);

  it.each(tried)('stays within its budget and ends when the server %s', async (__, failure, status) => {
    const { cwd, model } = await stage(failure, status);
    const { code, err } = await runToEnd(cwd, [...wordsFor(model), '--max-calls', '5']);
    expect(server.spent.calls, err).toBeGreaterThan(0);
    expect(server.spent.calls, err).toBeLessThanOrEqual(5);
    expect([0, 1, 2], err).toContain(code);
    const total = Number(/Spent: ([\d,]+) model call/.exec(err)?.[1]);
    expect(total, err).toBeGreaterThanOrEqual(server.spent.calls);
    // What went wrong, or that the budget is spent: never silence, never a stack.
    expect(err).toMatch(/budget of 5 calls|429|cut off|broke off|ended before|bytes|out of order/);
    expect(err).not.toContain('    at ');
  });

  it('stays within its budget when every call is refused and the clock jumps ten years back and forth', async () => {
    const { cwd, model } = await stage('error', 429);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    server.onCall = () => vi.setSystemTime(server.spent.calls % 2 === 0 ? '2016-05-01' : '2036-05-01');
    const { code, err } = await runToEnd(cwd, [...wordsFor(model), '--max-calls', '5']);
    // Calls are tried again: there were jumps in both directions.
    expect(server.spent.calls, err).toBeGreaterThan(1);
    expect(server.spent.calls, err).toBeLessThanOrEqual(5);
    expect([0, 1, 2], err).toContain(code);
    expect(Number(/Spent: ([\d,]+) model call/.exec(err)?.[1]), err).toBeGreaterThanOrEqual(server.spent.calls);
  });

  it('stays within its token budget when answers are not counted', async () => {
    const { cwd, model } = await stage('uncounted', 500);
    const { err } = await runToEnd(cwd, [...wordsFor(model), '--max-total-tokens', '2500']);
    expect(server.spent.tokens, err).toBeLessThanOrEqual(2500);
    expect(err).toContain('The budget of 2500 tokens');
  });
});
