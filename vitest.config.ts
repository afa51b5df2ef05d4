import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Rooms of pure functions: their tests leave nothing behind, so that they share one process and what it has loaded. */
const pure = ['src/core/**/*.test.ts', 'src/personas/**/*.test.ts'];
const long = '**/*.long.test.ts';

export default defineConfig({
  test: {
    // Only a test that hangs meets these limits. A busy machine makes a test slow, which is no fault of the test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 290_000, interval: 10 } },
    // Marks and consents of tests go to a folder of their own, not to the settings of whoever runs them.
    env: { LUDUS_HOME: join(tmpdir(), `ludus-test-home-${process.getuid?.() ?? 0}`) },
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'pure', include: pure, exclude: [long], isolate: false } },
      { extends: true, test: { name: 'house', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [...pure, long] } },
    ],
  },
});
