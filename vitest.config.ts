import { accessSync, constants, mkdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/fixtures/slow-first.ts';

/** Tests with a process of their own: they start others all the time, count its threads, timers, handles or unhandled failures, measure its memory, or change what all have. */
const alone = [
  'test/{bin,chaos,gpu-server,openenv,own-things,sites-browser,studio,studio-pages,studio-requests}.test.ts',
  'test/attacks/{process,sandbox}.test.ts',
  'packages/servers/src/fleet/*.test.ts',
  'packages/agents/src/sandbox/*.test.ts',
  'packages/kernel/src/core/pause.test.ts',
  'packages/learning/src/learners/tinker/failures.test.ts',
  'packages/learning/src/learners/transformer/{program-cache,transformer}.test.ts',
  'packages/agents/src/models/combinators.test.ts',
  'packages/ludus-agents/test/models/waits.test.ts',
  'packages/store/src/{sqlite,sqlite-failures,store,threaded-store}.test.ts',
  'packages/store/src/postgres/*.test.ts',
  'packages/ludus-agents/test/{fleet,store,agents/sandbox}/**/*.test.ts',
];
const long = '**/*.long.test.ts';

/** Where tests keep their files: in memory where Linux has enough of it, since a store waits for the disk at every commit. */
function temporaryFolder(): string {
  const folder = `/dev/shm/ludus-test-${process.getuid?.() ?? 0}`;
  try {
    accessSync('/dev/shm', constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < 4 * 2 ** 30) return tmpdir();
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return tmpdir();
  }
}

export default defineConfig({
  test: {
    // Only a test that hangs meets these limits. A busy machine makes a test slow, which is no fault of the test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Vitest asks a process to end, kills it half a second after its answer, and reports by itself when none comes within a minute; with
    // the usual ten seconds it complained on a busy machine, and why an answer took so long there is not known.
    teardownTimeout: 70_000,
    expect: { poll: { timeout: 290_000, interval: 10 } },
    // Marks and consents of tests go to a folder of their own, not to the settings of whoever runs them.
    // Folders of tests are trusted; tests of that trust start processes without this.
    env: {
      LUDUS_ENCODER: 'off',
      LUDUS_TRUST: '/',
      LUDUS_HOME: join(tmpdir(), `ludus-test-home-${process.getuid?.() ?? 0}`),
      TMPDIR: temporaryFolder(),
    },
    globalSetup: 'test/fixtures/before-all.ts',
    // Only where somebody asks what each file costs.
    ...(process.env['LUDUS_TEST_CPU'] === undefined ? {} : { runner: 'test/fixtures/cpu-runner.ts' }),
    // As in a program of a user, every kind is there.
    setupFiles: ['test/fixtures/native-modules.ts', 'packages/servers/src/kinds.ts'],
    sequence: { sequencer: SlowFirst },
    pool: 'forks',
    // Node loads the sources itself, as it does for users, and keeps what it has compiled: nothing here needs Vite to rewrite modules.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // More than the two cores that are counted on: tests of pages and of processes wait for others most of their time.
    maxWorkers: 4,
    projects: [
      // These leave nothing behind, so that they share a process and what it has loaded.
      {
        extends: true,
        test: { name: 'shared', include: ['{test,packages/*/{src,test}}/**/*.test.ts'], exclude: [...alone, long], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: [long] } },
    ],
  },
});
