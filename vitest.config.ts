import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: process.env['LUDUS_TEST_LONG'] === '1' ? ['node_modules'] : ['**/*.long.test.ts', 'node_modules'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Marks and consents of tests go to a folder of their own, not to the settings of whoever runs them.
    env: { LUDUS_HOME: join(tmpdir(), `ludus-test-home-${process.getuid?.() ?? 0}`) },
    pool: 'forks',
    maxWorkers: 2,
  },
});
