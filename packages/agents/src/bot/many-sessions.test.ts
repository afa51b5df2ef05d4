/** @file Five hundred sessions at once with a slow bot that fails and hangs now and then, by a clock that the test moves. */

import { pause } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, expect, it, vi } from 'vitest';
import { botServices, converse, seatBot, textsIn } from './bot.cases.ts';

afterEach(() => void vi.useRealTimers());

it('delivers every message once to a slow, failing bot and stays within its limits', async () => {
  vi.useFakeTimers();
  const limits = { concurrency: 40, perMinute: 1200 };
  const received = new Map<string, string[]>();
  const begun: number[] = [];
  let [now, most] = [0, 0];
  const bot = async (message: string, { session }: { session: string }) => {
    begun.push(Number(vi.getMockedSystemTime()));
    most = Math.max(most, ++now);
    received.set(session, [...(received.get(session) ?? []), message]);
    const number = Number(message.split('.')[0]);
    try {
      // 5 in 100 fail and 1 in 100 hangs, in their second turn.
      if (message.endsWith('.2') && number % 100 === 7) await new Promise(() => {});
      await pause(1000, new AbortController().signal);
      if (message.endsWith('.2') && number % 20 === 3) throw new Error('overloaded');
      return `re ${message}`;
    } finally {
      now--;
    }
  };
  const spec = { name: 'slow', kind: 'bot', settings: { file: './slow.ts', seconds: 30, ...limits } };
  const services = botServices({ bot: bot as never });
  const talks = Array.from({ length: 500 }, async (_, i) => converse(await seatBot(spec, services), `${i}.1`, `${i}.2`, `${i}.3`));
  const all = Promise.all(talks);
  let over = false;
  void all.then(() => {
    over = true;
  });
  while (!over) await vi.advanceTimersToNextTimerAsync();
  const logs = await all;
  const messages = [...received.values()];
  expect(new Set(messages.flat()).size).toBe(messages.flat().length);
  for (const [i, log] of logs.entries()) {
    const breaks = i % 100 === 7 || i % 20 === 3;
    const last = log.at(-1);
    expect(last).toMatchObject(breaks ? { reason: 'error', fault: { boundary: 'agent' } } : { reason: 'over' });
    if (last?.kind === 'end' && i % 100 === 7) expect(last.fault?.message).toContain('did not answer within 30 s');
    expect(textsIn(log)).toEqual(breaks ? [`re ${i}.1`] : [`re ${i}.1`, `re ${i}.2`, `re ${i}.3`]);
    expect(messages.find((list) => list[0] === `${i}.1`)).toEqual(breaks ? [`${i}.1`, `${i}.2`] : [`${i}.1`, `${i}.2`, `${i}.3`]);
  }
  expect([messages.length, most <= limits.concurrency + 5]).toEqual([500, true]);
  for (const [i, at] of begun.entries())
    expect((begun[i + limits.perMinute] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(60_000);
});
