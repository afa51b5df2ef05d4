import { rng } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { type Heard, TinkerServer, type Trouble } from '../../../../../test/fixtures/tinker-server.ts';
import { until } from '../../../../../test/fixtures/until.ts';
import type { Tinker, TinkerOptions } from './learner.ts';
import { course, learnerOn, operations, rowsOf } from './tinker.cases.ts';

const hello = { messages: [{ role: 'user', content: 'hello' }] } as const;
const never = new AbortController().signal;
let server: TinkerServer;
let learner: Tinker;
/** What the course comes to on a server without trouble. */
let undisturbed: Float64Array;

async function begin(more: Partial<TinkerOptions> = {}): Promise<void> {
  server = await new TinkerServer().start();
  learner = learnerOn(server.url, more);
}

beforeEach(async () => {
  if (undisturbed === undefined) {
    await begin();
    await course(learner);
    undisturbed = server.model.logits.slice();
    await end();
  }
  await begin();
});

async function end(): Promise<void> {
  await learner.close();
  await server.close();
}

afterEach(async () => {
  vi.useRealTimers();
  server.trouble = () => undefined;
  await end();
  expect(server.problems).toEqual([]);
});

/** Trouble at every second request of a kind. */
function everySecond(name: string, trouble: Trouble): (call: Heard) => Trouble | undefined {
  let count = 0;
  return (call) => (call.name === name && count++ % 2 === 0 ? trouble : undefined);
}

const training = ['create_session', 'create_model', 'forward_backward', 'optim_step', 'save_weights', 'retrieve_future'] as const;
const troubles: readonly Trouble[] = [
  'drop',
  'drop-after',
  { status: 429 },
  { status: 500 },
  { status: 503, headers: { 'retry-after': '0.01' } },
];

describe('temporary server failure', () => {
  // Both losses of a connection, and one of the three answers, a different one for each request; `npm run test:long` has all of them.
  const meets = (request: number, trouble: number) => trouble < 2 || (request + trouble) % amount(3, 1) === 0;
  const pairs = training.flatMap((name, r) => troubles.filter((_, t) => meets(r, t)).map((trouble) => [name, trouble] as const));

  it.each(pairs)('at %s (%j) changes nothing', async (name, trouble) => {
    server.trouble = everySecond(name, trouble);
    await course(learner);
    expect(server.model.logits).toEqual(undisturbed);
  });

  it.each(['save_weights_for_sampler', 'asample', 'retrieve_future'])('at %s changes no answer', async (name) => {
    const plain = await learner.complete(hello, { seed: 1, maxTokens: 8 }, never);
    await learner.optimStep({ rate: 0 });
    for (const trouble of troubles) {
      server.trouble = everySecond(name, trouble);
      expect(await learner.complete(hello, { seed: 1, maxTokens: 8 }, never)).toEqual(plain);
    }
  });

  it('is retried after the delay that the server asks for', async () => {
    server.trouble = everySecond('optim_step', { status: 429, headers: { 'retry-after': '0.09' } });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await learner.optimStep({ rate: 1 });
    const waits = timers.mock.calls.map(([, milliseconds]) => milliseconds as number);
    timers.mockRestore();
    // As long as it asks, and up to the first wait of a retry longer.
    expect(waits.filter((milliseconds) => milliseconds >= 90 && milliseconds <= 94)).toHaveLength(1);
    server.trouble = everySecond('optim_step', { status: 429, headers: { 'retry-after': '3600' } });
    await expect(learner.optimStep({ rate: 1 })).rejects.toThrow(
      /answered 429 to "optim_step": trouble\. It asks to wait 3600 s, which is too long\.$/,
    );
  });

  it('is reported after too many tries without losing state', async () => {
    const observations: string[] = [];
    await course(learner, async (operation) => {
      if (operation % 5 !== 4) return;
      server.trouble = () => ({ status: 500, detail: 'out of order' });
      await learner.optimStep({ rate: 1 }).catch((thrown: Error) => observations.push(thrown.message));
      server.trouble = () => undefined;
    });
    expect(observations.length).toBe(3);
    for (const message of observations)
      expect(message).toMatch(/^127\.0\.0\.1:\d+ answered 500 to "\w+": out of order\. It was tried 8 times\.$/);
    expect(server.model.logits).toEqual(undisturbed);
  });
});

describe('Tinker futures', () => {
  it.each([408, 'try_again'] as const)('are polled again while not ready (%s)', async (unready) => {
    server.unready = unready;
    server.delay = ({ name }) => (name === 'optim_step' ? 3 : 0);
    await course(learner);
    const polls = server.heard.filter(({ name }) => name === 'retrieve_future').length;
    const promises = server.heard.filter(({ name }) => !/retrieve_future|create_session|capabilities/.test(name)).length;
    // Six steps, each unready three times.
    expect(polls).toBe(promises + 6 * 3);
    expect(server.model.logits).toEqual(undisturbed);
  });

  it('may be held by the server longer than a request timeout', async () => {
    await end();
    await begin({ seconds: 100, tries: 3 });
    server.unready = 'silence';
    server.delay = ({ name }) => (name === 'optim_step' ? 5 : 0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stepped = learner.optimStep({ rate: 1 });
    const polls = () => server.heard.slice(server.heard.findIndex(({ name }) => name === 'optim_step')).length - 1;
    for (let held = 1; held <= 5; held++) {
      // The clock runs on by itself only as far as the pause between two questions.
      await until(async () => {
        await vi.advanceTimersByTimeAsync(1);
        return server.heard.some(({ name }) => name === 'optim_step') && polls() === held;
      });
      await vi.advanceTimersByTimeAsync(100_000);
    }
    await until(async () => {
      await vi.advanceTimersByTimeAsync(1);
      return polls() === 6;
    });
    await stepped;
  });

  it('can complete in any order and are returned in request order', async () => {
    await end();
    await begin({ mostRows: 1 });
    let wait = 5;
    server.delay = ({ name }) => (name === 'forward' ? --wait : 0);
    const rows = rowsOf(rng(3), 5);
    const got = await learner.logprobs(rows);
    expect(server.heard.filter(({ name }) => name === 'forward').length).toBe(5);
    expect(got.map(({ length }) => length)).toEqual(rows.map(({ tokens }) => tokens.length));
    server.delay = () => 0;
    expect(await learner.logprobs(rows)).toEqual(got);
  });

  it('time out when they never complete', async () => {
    await end();
    await begin({ patience: 1 });
    server.delay = ({ name }) => (name === 'optim_step' ? Number.POSITIVE_INFINITY : 0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const refused = expect(learner.optimStep({ rate: 1 })).rejects.toThrow(/did not finish "optim_step" within 1 s\. Check its queue\.$/);
    await until(() => server.heard.at(-2)?.name === 'optim_step');
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
  });

  it('report their failure', async () => {
    server.twist = ({ name }, result) => (name === 'optim_step' ? { error: 'the rate is odd', category: 'user' } : result);
    await expect(learner.optimStep({ rate: 1 })).rejects.toThrow(/failed at "optim_step": the rate is odd\.$/);
    server.twist = (_, result) => result;
    await learner.optimStep({ rate: 1 });
  });
});

describe('sequence numbers', () => {
  it('start at 1 and only increase for each model', async () => {
    server.trouble = everySecond('forward_backward', 'drop-after');
    await course(learner, (operation) => (operation === 9 ? server.restart('sessions') : undefined));
    await learner.complete(hello, { maxTokens: 2 }, never);
    const byModel = Map.groupBy(
      server.heard.filter(({ body }) => typeof body['model_id'] === 'string' && body['seq_id'] !== undefined),
      ({ body }) => body['model_id'],
    );
    expect(byModel.size).toBeGreaterThan(1);
    for (const calls of byModel.values()) {
      const numbers = [...new Set(calls.map(({ body }) => body['seq_id'] as number))];
      expect(numbers).toEqual(Array.from(numbers, (_, i) => i + 1));
    }
  });
});

describe('server restart during a run', () => {
  it.each(Array.from({ length: operations }, (_, operation) => operation))(
    'that loses sessions before operation %i loses no progress',
    async (operation) => {
      await course(learner, (now) => (now === operation ? server.restart('sessions') : undefined));
      expect(server.model.logits).toEqual(undisturbed);
    },
  );

  it('that keeps its state lets the run continue', async () => {
    await course(learner, (operation) => (operation % 4 === 1 ? server.restart('nothing') : undefined));
    expect(server.model.logits).toEqual(undisturbed);
    expect(server.heard.filter(({ name }) => name === 'create_model').length).toBe(1);
  });

  it('during a wait loses no progress', async () => {
    let left = 3;
    server.delay = ({ name }) => (name === 'optim_step' ? 1 : 0);
    server.trouble = ({ name }) => {
      if (name === 'retrieve_future' && server.heard.at(-2)?.name === 'optim_step' && left-- > 0) server.forget();
      return undefined;
    };
    await course(learner);
    expect(left).toBeLessThan(0);
    expect(server.model.logits).toEqual(undisturbed);
  });

  it('without checkpoints before the first save repeats the run with the same result', async () => {
    await course(learner, (operation) => (operation === 7 ? server.restart('everything') : undefined));
    expect(server.model.logits).toEqual(undisturbed);
  });

  it('without the needed checkpoint stops the run with a readable error', async () => {
    const run = course(learner, (operation) => (operation === 14 ? server.restart('everything') : undefined));
    await expect(run).rejects.toThrow(
      /^Training stopped because the server keeps losing it \(4 tries; last error: .* answered 404 to "load_weights": Checkpoint not found: .*\); the last checkpoint is tinker:\/\/.*\/weights\/ludus-1, \d+ operations after it are remembered here\.$/,
    );
  });

  it('repeats little work thanks to automatic checkpoints', async () => {
    await end();
    await begin({ checkpointEvery: 2 });
    await course(learner, (operation) => (operation === 16 ? server.restart('sessions') : undefined));
    expect(server.model.logits).toEqual(undisturbed);
    expect(learner.checkpoint).toMatch(/^tinker:\/\/model_\d+\/weights\/ludus-\d$/);
    const last = server.heard.findLastIndex(({ name }) => name === 'create_model');
    expect(server.heard.slice(last).filter(({ name }) => name === 'optim_step').length).toBeLessThanOrEqual(2);
  });

  it('restores sampling with the current weights', async () => {
    await course(learner);
    const ask = () => learner.complete(hello, { seed: 5, maxTokens: 6 }, never);
    const plain = await ask();
    const reference = await learner.logprobs(rowsOf(rng(2)), 'reference');
    await learner.refer();
    const referred = await learner.logprobs(rowsOf(rng(2)), 'reference');
    expect(referred).not.toEqual(reference);
    await server.restart('sessions');
    expect(await ask()).toEqual(plain);
    expect(await learner.logprobs(rowsOf(rng(2)), 'reference')).toEqual(referred);
    await server.restart('sessions');
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([plain, plain, plain]);
    expect(server.model.logits).toEqual(undisturbed);
  });
});

describe('Tinker API key', () => {
  it('is read from the environment, sent in its header, and never shown in errors', async () => {
    await end();
    const env: Record<string, string> = { TINKER_API_KEY: 'tml-secret"1' };
    await begin({ env });
    server.key = 'tml-secret"1';
    await learner.optimStep({ rate: 1 });
    env['TINKER_API_KEY'] = 'tml-wrong"2';
    const refused = await learner.optimStep({ rate: 1 }).catch((thrown: Error) => thrown);
    expect(String(refused)).toMatch(/answered 401 to "\w+": key \[key\] is wrong\. Check the key in TINKER_API_KEY\./);
    expect(JSON.stringify(refused) + (refused as Error).stack).not.toMatch(/secret|wrong"2/);
    env['TINKER_API_KEY'] = 'tml-\u2028odd';
    await expect(learner.optimStep({ rate: 1 })).rejects.toThrow(/^The key in TINKER_API_KEY has invalid characters\. Set it again\.$/);
    env['TINKER_API_KEY'] = 'tml-secret"1';
  });

  it('is omitted if it is not set', async () => {
    await learner.offers();
    expect(server.heard.every(({ headers }) => headers['x-api-key'] === undefined)).toBe(true);
  });
});

describe('incompatible server', () => {
  it('is reported with the unexpected answer', async () => {
    server.trouble = ({ name }) => (name === 'create_session' ? { status: 404, detail: 'Not Found' } : undefined);
    await expect(learner.optimStep({ rate: 1 })).rejects.toThrow(/answered 404 to "create_session": Not Found/);
    server.trouble = () => undefined;
    server.twist = ({ name }, result) => (name === 'save_weights' ? { type: 'save_weights' } : result);
    await expect(learner.save()).rejects.toThrow(/sent an unexpected answer to "save_weights": \$\.path must be text, but got nothing/);
    server.problems.length = 0;
  });

  it('that cannot be reached is reported', async () => {
    const nobody = learnerOn('http://127.0.0.1:9', { tries: 2 });
    await expect(nobody.offers()).rejects.toThrow(/could not be reached for "healthz": .*\. It was tried 2 times\.$/);
  });
});

describe('Tinker session', () => {
  it('is kept alive by a heartbeat until the learner is closed', async () => {
    await end();
    await begin({ heartbeat: 10 });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await learner.optimStep({ rate: 1 });
    const beats = () => server.heard.filter(({ name }) => name === 'session_heartbeat').length;
    expect(beats()).toBe(0);
    await vi.advanceTimersByTimeAsync(30_000);
    await until(() => beats() === 3);
    await learner.close();
    expect(server.models).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts a request on its signal', async () => {
    server.delay = ({ name }) => (name === 'asample' ? Number.POSITIVE_INFINITY : 0);
    const stop = new AbortController();
    server.trouble = () => {
      if (server.heard.at(-2)?.name === 'asample') stop.abort(new Error('enough'));
      return undefined;
    };
    const request = learner.complete(hello, {}, stop.signal);
    await expect(request).rejects.toThrow('enough');
  });
});
