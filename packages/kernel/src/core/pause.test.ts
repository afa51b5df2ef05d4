import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pause, withTimeLimit } from './pause.ts';

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('pause', () => {
  it('resolves exactly when its time has passed', async () => {
    const observations: string[] = [];
    const paused = pause(100, never).then(() => observations.push('over'));
    await vi.advanceTimersByTimeAsync(99);
    expect(observations).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await paused;
    expect(observations).toEqual(['over']);
  });

  it('rejects with the reason of its signal, before and during the wait, and leaves no listener', async () => {
    const stop = new AbortController();
    const waiting = expect(pause(100, stop.signal)).rejects.toBe('enough');
    stop.abort('enough');
    await waiting;
    await expect(pause(100, stop.signal)).rejects.toBe('enough');
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});

describe('withTimeLimit', () => {
  const listening = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('returns a result that arrives in time', async () => {
    expect(await withTimeLimit(100, never, async () => 'in time')).toBe('in time');
  });

  it('rejects with a TimeoutError when time is up', async () => {
    const late = expect(withTimeLimit(100, never, listening)).rejects.toMatchObject({ name: 'TimeoutError' });
    await vi.advanceTimersByTimeAsync(100);
    await late;
  });

  it('rejects with the reason of an aborted signal', async () => {
    const stop = new AbortController();
    const stopped = expect(withTimeLimit(100, stop.signal, listening)).rejects.toBe('enough');
    stop.abort('enough');
    await stopped;
  });
});
