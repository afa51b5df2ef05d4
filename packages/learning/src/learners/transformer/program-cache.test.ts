import { describe, expect, it } from 'vitest';
import type { Graph } from './graph.ts';
import { ProgramCache } from './program-cache.ts';
import type { Held, Program } from './runtime.ts';

/** A runtime that counts what is compiled and released, and whose runs end when they are let go. */
function counting() {
  const observation = { compiled: 0, open: 0, used: 0 };
  const waiting: (() => void)[] = [];
  return {
    seen: observation,
    letGo: () => waiting.splice(0).forEach((go) => void go()),
    async compile(): Promise<Program> {
      observation.compiled++;
      observation.open++;
      let released = false;
      return {
        async run(): Promise<Readonly<Record<string, Held>>> {
          if (released) throw new Error('it was released');
          await new Promise<void>((resolve) => waiting.push(resolve));
          if (released) throw new Error('it was released while it ran');
          observation.used++;
          return {};
        },
        async release() {
          released = true;
          observation.open--;
        },
      };
    },
  };
}

const graph = () => null as unknown as Graph;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('program cache', () => {
  async function use(cache: ProgramCache, runtime: ReturnType<typeof counting>, key: string, numbers: number): Promise<void> {
    const run = cache.get(key, numbers, graph).run({});
    await settled();
    runtime.letGo();
    await run;
    await settled();
  }

  it('compiles each program once and limits the number and size of programs', async () => {
    const runtime = counting();
    const cache = new ProgramCache(runtime, { programs: 3, numbers: 100 });
    for (const key of ['a', 'b', 'a', 'b']) await use(cache, runtime, key, 10);
    expect(runtime.seen).toEqual({ compiled: 2, open: 2, used: 4 });
    for (const key of ['c', 'd']) await use(cache, runtime, key, 10);
    expect(runtime.seen.open).toBe(3);
    await use(cache, runtime, 'large', 85);
    expect(runtime.seen.open).toBe(2);
    // Larger than the bound alone: it is kept alone.
    await use(cache, runtime, 'huge', 1000);
    expect(runtime.seen.open).toBe(1);
  });

  it('does not release a program that is running or still in use', async () => {
    const runtime = counting();
    const cache = new ProgramCache(runtime, { programs: 1, numbers: 100 });
    const current = cache.get('a', 10, graph);
    const running = current.run({});
    await settled();
    const other = cache.get('b', 10, graph).run({});
    await settled();
    expect(runtime.seen.open).toBe(2);
    runtime.letGo();
    await Promise.all([running, other]);
    await settled();
    expect(runtime.seen.open).toBe(1);
    const late = current.run({});
    await settled();
    runtime.letGo();
    await late;
    await settled();
    expect(runtime.seen).toEqual({ compiled: 3, open: 1, used: 3 });
  });
});
