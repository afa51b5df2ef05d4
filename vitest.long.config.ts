import { defineConfig } from 'vitest/config';
import short from './vitest.config.ts';

const { projects: _, ...test } = short.test ?? {};

// `npm run test:long`: the same proofs as `npm test`, over more seeds, sizes and failures.
export default defineConfig({
  test: { ...test, include: ['src/**/*.long.test.ts', 'test/**/*.long.test.ts'], testTimeout: 3_600_000 },
});
