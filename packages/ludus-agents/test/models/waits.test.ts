import { beginWait, onWaits, type Wait } from '@ludus-agents/agents/internal/models/waits';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitLine } from '../../src/cli/render/waits.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => vi.useRealTimers());

describe('waits', () => {
  it('are reported every second after a delay, with progress, and once at the end', () => {
    const observations: (readonly Wait[])[] = [];
    const release = onWaits((waits) => observations.push(waits));
    let done = 0;
    const end = beginWait('m', 'reads', () => ({ done, of: 1343 }));
    vi.advanceTimersByTime(1000);
    expect(observations).toEqual([]);
    done = 512;
    vi.advanceTimersByTime(2000);
    expect(observations.map((waits) => waits.map(waitLineOf))).toEqual([
      ['m: reading the prompt, 512 of 1,343 tokens, about 4 s left'],
      ['m: reading the prompt, 512 of 1,343 tokens, about 5 s left'],
    ]);
    end();
    end();
    expect(observations.slice(2)).toEqual([[]]);
    release();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('cost nothing without listeners, and short ones are not reported', () => {
    const end = beginWait('m', 'answers');
    expect(vi.getTimerCount()).toBe(0);
    const observations: unknown[] = [];
    const release = onWaits((waits) => observations.push(waits));
    expect(vi.getTimerCount()).toBe(1);
    end();
    expect([observations, vi.getTimerCount()]).toEqual([[], 0]);
    release();
  });

  it('are formatted as one line', () => {
    expect(waitLine([])).toBe('');
    expect(waitLine([{ model: 'm', doing: 'answers', seconds: 12.3 }])).toBe('m: waiting for an answer, 12 s');
    expect(waitLine([{ model: 'x.gguf', doing: 'loads', seconds: 5 }])).toBe('x.gguf: loading, 5 s');
    const part = (done: number): Wait => ({ model: 'm', doing: 'reads', seconds: 10, progress: { done, of: 200 } });
    expect(waitLine([part(100), part(50)])).toBe('2 calls: reading the prompt, 150 of 400 tokens, about 17 s left');
    const file: Wait = { model: 'x.gguf', doing: 'downloads', seconds: 60, progress: { done: 3e8, of: 6e8 } };
    expect(waitLine([file])).toBe('x.gguf: downloading, 300 of 600 MB, about 60 s left');
    expect(waitLine([{ ...file, progress: { done: 3e8, of: null } }])).toBe('x.gguf: downloading, 300 MB');
  });
});

function waitLineOf(wait: Wait): string {
  return waitLine([wait]);
}
