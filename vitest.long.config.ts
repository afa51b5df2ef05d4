import { defineConfig } from 'vitest/config';
import short from './vitest.config.ts';

const { projects: _, ...test } = short.test ?? {};

/** Files of `npm test` that do less there than they can: see test/fixtures/amount.ts. */
const shortened = [
  'src/engine/fuzz.test.ts',
  'src/engine/properties.test.ts',
  'src/environments/liars-dice.test.ts',
  'src/environments/quest-world/quest-world.test.ts',
  'src/improving/grounds.test.ts',
  'src/learning/curricula/proposers/proposers.test.ts',
  'src/learning/curricula/teachers/teachers.test.ts',
  'src/learning/prompts/demo/demo.test.ts',
  'src/learning/rl/tree-lessons.test.ts',
  'src/scoring/fuzz.test.ts',
  'src/scoring/judges/fuzz.test.ts',
  'src/scoring/statistics/coverage.test.ts',
  'src/scoring/trust/trust.test.ts',
  'src/scoring/evaluation/estimator.test.ts',
  'src/scoring/statistics/compare.test.ts',
  'src/surveys/scale.test.ts',
  'src/training/tables.test.ts',
  'test/casts.test.ts',
  'test/golden.test.ts',
];

// `npm run test:long`: the same proofs as `npm test`, over more seeds, sizes and failures.
export default defineConfig({
  test: {
    ...test,
    include: ['src/**/*.long.test.ts', 'test/**/*.long.test.ts', ...shortened],
    env: { ...test.env, LUDUS_TEST_LONG: '1' },
    testTimeout: 3_600_000,
  },
});
