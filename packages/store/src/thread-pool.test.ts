/** @file Threads give what they make in order, and no failure of theirs is waited for. */

import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { spread, ThreadPool } from './thread-pool.ts';

// The address that Vitest loads a test by has more behind the ending of its name.
const thisFile = pathToFileURL(import.meta.filename).href;

async function doubled(tasks: readonly number[], threads: number): Promise<{ readonly made: readonly number[]; readonly own: number }> {
  const pool = threads === 0 ? null : new ThreadPool<number, number>('./thread-pool.cases', thisFile, { data: null, threads });
  let own = 0;
  try {
    await pool?.ready();
    const here = async (task: number) => {
      own++;
      // Threads are heard only while this one waits.
      await new Promise((resolve) => setImmediate(resolve));
      return 2 * task;
    };
    return { made: await Array.fromAsync(spread(tasks, pool, here)), own };
  } finally {
    await pool?.close();
  }
}

describe('a pool of threads', () => {
  it('returns results in task order with any number of threads', async () => {
    for (const threads of [0, 1, 3])
      for (const length of threads === 0 ? [0, 1, 2, 7, 200] : [2, 200]) {
        const tasks = Array.from({ length }, (_, i) => i + 1000);
        const { made, own } = await doubled(tasks, threads);
        expect(made).toEqual(tasks.map((task) => 2 * task));
        if (threads === 0) expect(own).toBe(length);
        else expect(own).toBeLessThanOrEqual(Math.max(0, length - 2 * threads));
      }
  });

  it('throws the fault of a task at its position', async () => {
    const pool = new ThreadPool<number, number>('./thread-pool.cases', thisFile, { data: null, threads: 1 });
    try {
      await expect(pool.make(13)).rejects.toThrow('No thirteen here.');
      expect(await pool.make(4)).toBe(8);
    } finally {
      await pool.close();
    }
  });

  it('rejects all work with an explanation after a thread has exited', async () => {
    const pool = new ThreadPool<number, number>('./thread-pool.cases', thisFile, { data: null, threads: 2 });
    try {
      await expect(pool.make(99)).rejects.toThrow('A worker thread stopped: it stopped with code 3. Run the command again.');
      await expect(pool.make(4)).rejects.toThrow('A worker thread stopped: it stopped with code');
      expect(() => pool.room).toThrow('A worker thread stopped: it stopped with code');
    } finally {
      await pool.close();
    }
  });

  it('explains why a thread cannot start', async () => {
    const pool = new ThreadPool<number, number>('./no-such-thread', thisFile, { data: null, threads: 1 });
    await expect(pool.make(1)).rejects.toThrow('A worker thread stopped:');
    await pool.close();
  });
});
