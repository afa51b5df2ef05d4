import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

/** Starts it in a folder, presses Ctrl-C once it says how the lesson ended, and gives what was written. */
async function started(here: string) {
  return ludus(here, ['studio', '--demo', '--port', '0', '--no-open', '--demo-games', '336'], {
    during: async (interrupt, written) => {
      await written(/Play against it:/);
      interrupt();
    },
  });
}

describe('start', () => {
  it('opens the studio with a lesson, and the trained player is still there the next day', async () => {
    const here = folder();
    const first = await started(here);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/The studio is open at http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{20,}#\/lesson/);
    expect(first.out).toMatch(/is now teaching itself Kuhn poker: .*#\/lesson\/first-lesson/);
    expect(first.out).toMatch(/games against itself: exploitability 0\.\d+ \([\d.]+% legal\) → 0\.\d+ \([\d.]+% legal\)/);
    expect(first.out).toContain('second=local%2Ffirst-lesson%40last');
    const second = await started(here);
    expect(second.out).not.toContain('teaches itself');
    expect(second.out).toContain('Your agent has played');
  });
});
