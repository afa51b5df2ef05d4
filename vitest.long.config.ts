import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import short from './vitest.config.ts';

const { projects: _, ...test } = short.test ?? {};

/** Files of `npm test` that do less there than they can: those that ask test/fixtures/amount.ts how much, and properties. */
const shortened = ['packages', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.test.ts') && /\/fixtures\/(?:amount|property)\.ts'/.test(readFileSync(file, 'utf8'))),
);

// `npm run test:long`: the same proofs as `npm test`, over more seeds, sizes and failures.
export default defineConfig({
  test: {
    ...test,
    include: ['packages/*/{src,test}/**/*.long.test.ts', 'test/**/*.long.test.ts', ...shortened],
    env: { ...test.env, LUDUS_TEST_LONG: '1' },
    testTimeout: 3_600_000,
  },
});
