import { defineConfig } from 'vitest/config';
import short from './vitest.config.ts';

// `npm run test:long`: the same proofs as `npm test`, over more seeds, sizes and failures.
export default defineConfig({
  test: { ...short.test, include: ['src/**/*.long.test.ts', 'test/**/*.long.test.ts'], exclude: [], testTimeout: 3_600_000 },
});
