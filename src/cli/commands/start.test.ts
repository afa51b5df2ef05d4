import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../store/sqlite.ts';
import { folder, ludus } from '../terminal.cases.ts';

/** Starts it in a folder, presses Ctrl-C once its lesson has been measured to the end, and gives what was written. */
async function started(here: string) {
  return ludus(here, ['start', '--port', '0', '--no-open', '--games', '2520'], {
    during: async (interrupt) => {
      for (let tries = 0; tries < 400 && !(await taught(here)); tries++) await sleep(100);
      await sleep(600);
      interrupt();
    },
  });
}

async function taught(here: string): Promise<boolean> {
  const store = await sqliteStore(`${here}/.ludus/ludus.sqlite`).catch(() => null);
  const [last] = ((await store?.notes('first-lesson', 'metrics').catch(() => [])) ?? []).slice(-1) as { update: number; updates: number }[];
  await store?.close();
  return last !== undefined && last.update >= last.updates;
}

describe('start', () => {
  it('opens the studio, teaches a player before the newcomer’s eyes, and has a chair for them; the next day the player is still there', async () => {
    const here = folder();
    const first = await started(here);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/The studio is open at http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{20,}/);
    expect(first.out).toMatch(/teaches itself Kuhn poker now: .*#\/training\/first-lesson/);
    expect(first.out).toMatch(/games against itself: exploitability 0\.\d+ → 0\.\d+/);
    expect(first.out).toContain('second=local%2Ffirst-lesson%40best');
    const second = await started(here);
    expect(second.out).not.toContain('teaches itself');
    expect(second.out).toContain('Your pupil has played');
  });
});
