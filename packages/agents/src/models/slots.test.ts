/** @file The order of calls to a server with one slot, in real episodes: the prompts it reads, with the order and without it. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Model, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { run } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelServer, modelServer } from '../../../../test/fixtures/model-servers.ts';
import { createAgentLoader } from '../kinds.ts';
import { createAgentServices } from '../workspace/agent-services.ts';
import { Trust } from '../workspace/trust.ts';
import { fakeModel } from './fake.ts';
import { limited, ModelRateLimit } from './limited.ts';
import { openaiModel } from './openai.ts';
import { mostPassed, readingOf, Slots } from './slots.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const never = new AbortController().signal;
let server: ModelServer | undefined;
afterEach(() => server?.close());

/** Plays episodes of two agents against each other with all calls to one server; the prompts in the order in which they came there. */
async function prompts(from: number, isOrdered: boolean): Promise<readonly string[]> {
  server = await modelServer('llama.cpp');
  const bare = openaiModel({ baseURL: server.url, model: 'm', warn: () => undefined });
  const { slots: _, ...blind } = bare;
  const model = limited(isOrdered ? bare : blind, new ModelRateLimit({ concurrency: 16 }));
  const texts = (instruction: string) => ({ name: instruction, kind: 'llm', model: 'm', texts: { instruction: instruction.repeat(40) } });
  const report = await run(
    {
      environments: [{ environment: 'tic-tac-toe', tasks: [{}] }],
      seeds: { from, count: 8 },
      casts: [{ X: texts('Play calmly. '), O: texts('Win at any price. ') }],
    },
    { store: memoryStore(), environment: builtInEnvironment, agent: createAgentLoader({ ...agentServices, model: async () => model }) },
  );
  expect(report.ends).toMatchObject({ over: 8 });
  const observations = server.seen.filter(
    ({ body }) => JSON.stringify(body).includes('Play calmly') || JSON.stringify(body).includes('Win at any'),
  );
  await server.close();
  return observations.map(({ body }) => readingOf(body as unknown as Prompt));
}

function sharedWith(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

/** Characters that a server with one slot reads. */
const read = (list: readonly string[]) => list.reduce((sum, text, i) => sum + text.length - sharedWith(text, list[i - 1] ?? ''), 0);
const switches = (list: readonly string[]) =>
  list.filter((text, i) => i > 0 && text.includes('Play calmly') !== list[i - 1]?.includes('Play calmly')).length;

describe('server with one slot', () => {
  it.each([0, 100])('serves one agent at a time and reads less than half as much, from seed %i on', async (from) => {
    const ordered = await prompts(from, true);
    const mixed = await prompts(from, false);
    expect(ordered).toHaveLength(mixed.length);
    expect([...ordered].sort()).toEqual([...mixed].sort());
    expect(switches(ordered)).toBeLessThan(switches(mixed) / 3);
    expect(read(ordered)).toBeLessThan(0.5 * read(mixed));
  });

  it('receives one call at a time once it reports its slots', async () => {
    let inFlight = 0;
    let most = 0;
    const inner = fakeModel({ answers: ['yes'] });
    const counted: Model = {
      ...inner,
      slots: async () => 1,
      async complete(...requests) {
        most = Math.max(most, ++inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight--;
        return inner.complete(...requests);
      },
    };
    const model = limited(counted, new ModelRateLimit({ concurrency: 16 }));
    const ask = (content: string) => model.complete({ messages: [{ role: 'user', content }] }, {}, never);
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
    // The first call went before anyone knew.
    expect(most).toBeLessThanOrEqual(2);
    most = 0;
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
    expect(most).toBe(1);
  });
});

describe('Slots', () => {
  it('picks the call that shares the longest prefix with a slot, or else the first', () => {
    const slots = new Slots(2);
    const waiting = ['rules A, first', 'rules B, first', 'rules A, first and more'].map((reading) => ({ reading, passed: 0 }));
    const first = slots.next(waiting)!;
    expect(first.index).toBe(0);
    slots.take(first.slot, 'rules A, first');
    slots.free(first.slot);
    const second = slots.next(waiting.slice(1))!;
    expect([second.index, second.slot === first.slot]).toEqual([1, true]);
    slots.take(second.slot, waiting[2]!.reading);
    const third = slots.next(waiting.slice(1, 2))!;
    expect([third.index, third.slot === first.slot]).toEqual([0, false]);
    slots.take(third.slot, waiting[1]!.reading);
    expect(slots.next(waiting)).toBeNull();
  });

  it('never starves a waiting call', () => {
    const slots = new Slots(1);
    const lonely = { reading: 'other', passed: 0 };
    const { slot } = slots.next([{ reading: 'same', passed: 0 }])!;
    slots.take(slot, 'same');
    let rounds = 0;
    for (;;) {
      slots.free(slot);
      const { index } = slots.next([lonely, { reading: 'same', passed: 0 }])!;
      if (index === 0) break;
      slots.take(slot, 'same');
      rounds++;
    }
    expect(rounds).toBe(mostPassed);
  });
});
