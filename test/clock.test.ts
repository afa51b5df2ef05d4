/** @file No test waits, counts or times by the real clock: every test source is read, and each exception has its reason here. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What depends on how fast this machine is, and what to write instead. */
const rules: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a timer; wait with until() or turns(), or put vi.useFakeTimers() in its place', /\bset(?:Timeout|Interval)\(/],
  ['a sleep; wait with until() or turns()', /\bsleep\(|setTimeout as \w+ |waitForTimeout\(/],
  ['the time of day; count work, or use vi.useFakeTimers()', /\bDate\.now\b|\bperformance\.now\b|\bhrtime\b/],
  ['a wait that ends after a second; use until() or expect.poll()', /\bvi\.wait(?:For|Until)\(/],
  [
    'a time limit of its own; the one of all tests guards against hangs',
    /\{ timeout: [\d_]+ \}, (?:async )?\(|^\s*\}, [\d_]{4,}\);|^\s+\d+_000,$/,
  ],
  ['another try for a test that failed', /\{ retry: \d/],
  ['cases that differ from run to run; take fc from test/fixtures/property.ts', /from 'fast-check'/],
];

const fake = 'runs under vi.useFakeTimers(): this clock moves only when the test moves it';

/** Files that may, and why. */
const allowed: Readonly<Record<string, string>> = {
  'test/clock.test.ts': 'names what it looks for',
  'test/fixtures/property.ts': 'the one place that says which cases are drawn',
  'test/fixtures/until.ts': 'the one place that looks again after a few milliseconds; no outcome depends on how many',
  'test/fixtures/skew.mjs': 'gives a worker a wrong clock, which is the fault under test',
  'test/fixtures/chaos.ts': 'freezes last longer than a lease in other processes; nothing is asserted about how long anything takes',
  'test/fixtures/proxy.ts': 'holds a connection up for other processes; nothing is asserted about how long',
  'test/fixtures/slow-model.ts': 'gives other processes the time to be killed in the middle of a call',
  'test/fixtures/tutorial-pictures.ts': 'waits for curves before it draws a picture for a page, which no test does',
  'test/fixtures/crash-run.ts': 'keeps a process alive until it is killed',
  'test/bin.test.ts': 'a shell script that does nothing until it is killed',
  'packages/store/src/job-queue.cases.ts': 'puts a clock of its own in the place of this one, and moves it by hand',
  'packages/agents/src/models/combinators.test.ts': fake,
  'packages/learning/src/rl/overlap.test.ts': fake,
  'packages/learning/src/rl/overlap-rollouts.test.ts': fake,
  'packages/agents/src/sandbox/sandbox.test.ts': 'code in the sandbox asks a clock that only it moves',
  'test/attacks/sandbox-attacks.ts': 'timers and sleeps of hostile code, which must not hold the parent up',
  'packages/agents/src/tools/tools.test.ts': 'a name that code in the sandbox must not find; and a signal that ends code which never ends',
  'packages/environments/src/chat.test.ts': 'a word in a conversation',
};

/** What a test source says that it should not, as sentences. */
function findings(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, i) => rules.flatMap(([what, pattern]) => (pattern.test(line) ? [`${file}:${i + 1} has ${what}.`] : [])));
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`.replaceAll('\\', '/'))
    .filter((file) => (folder === 'test' ? /\.(?:ts|mjs)$/ : /\.(?:test|cases)\.ts$/).test(file));
}

describe('the check for clocks in tests', () => {
  const files = ['packages', 'test'].flatMap(sources);

  it('finds test files and their helpers', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(files).toContain('test/fixtures/tinker-server.ts');
    expect(files).toContain('packages/store/src/job-queue.cases.ts');
  });

  it('finds no test that depends on the clock', () => {
    const matches = files
      .filter((file) => allowed[file] === undefined)
      .flatMap((file) => findings(file, readFileSync(join(root, file), 'utf8')));
    expect(matches).toEqual([]);
  });

  it('allows counting timers only in tests that run in their own process', () => {
    const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8');
    const counting = files.filter(
      (file) => file !== 'test/clock.test.ts' && readFileSync(join(root, file), 'utf8').includes('getTimerCount'),
    );
    expect(counting.length).toBeGreaterThan(0);
    expect(counting.filter((file) => !config.includes(`'${file}'`))).toEqual([]);
  });

  it.each([
    ['await new Promise((resolve) => setTimeout(resolve, 50));', 'a timer'],
    ["import { setTimeout as pause } from 'node:timers/promises';", 'a sleep'],
    ['while (!done) await sleep(10);', 'a sleep'],
    ['await page.waitForTimeout(150);', 'a sleep'],
    ['expect(performance.now() - began).toBeLessThan(1000);', 'the time of day'],
    ['const until = Date.now() + 5000;', 'the time of day'],
    ['await vi.waitFor(() => expect(calls).toBe(2));', 'a wait that ends'],
    ["it('is quick', { timeout: 30_000 }, async () => {", 'a time limit'],
    ['  }, 120_000);', 'a time limit'],
    ['    60_000,', 'a time limit'],
    ["it('may fail', { retry: 3 }, () => {", 'another try'],
  ])('detects %j', (line, what) => {
    expect(findings('planted.test.ts', `import x;\n${line}\n`)).toEqual([expect.stringContaining(`planted.test.ts:2 has ${what}`)]);
  });

  it.each(['await until(() => calls === 2);', 'await vi.advanceTimersByTimeAsync(100);', 'await expect.poll(open).toBe(0);', '  });'])(
    'allows %j',
    (line) => {
      expect(findings('fine.test.ts', line)).toEqual([]);
    },
  );
});
