/**
 * @file Checks all types, twice. Everywhere: an index into an array gives its element. Where data comes in from outside (logs, requests, files, command lines), an
 * index may give undefined, too (`noUncheckedIndexedAccess`); `docs/decisions/0025-indexes.md` says why not in rules, statistics and learners.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Folders in which an index is not checked: they index arrays of their making, by numbers that they have counted. */
export const unchecked: readonly string[] = [
  'packages/environments/',
  'packages/evaluation/',
  'packages/desk/',
  'packages/learning/',
  'packages/societies/',
  'packages/agents/src/personas/population/',
  'benchmarks/',
  'docs/',
  'evidence/',
  'examples/',
  'scripts/',
];

const root = join(import.meta.dirname, '..');
const isUnchecked = (file: string) => unchecked.some((folder) => file.startsWith(folder));

/**
 * The problems that the compiler finds, one for each line that names a file; lines that explain it further come along. What is
 * unchanged since the last run is not checked again.
 */
function problemsOf(config: string): readonly string[] {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const state = join(root, 'node_modules', '.cache', 'types', `${config.replaceAll('/', '-')}.tsbuildinfo`);
  const args = [compiler, '-p', config, '--noEmit', '--incremental', '--tsBuildInfoFile', state];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const problems = stdout.split(/\n(?=\S)/).filter((problem) => problem.trim() !== '');
  return status !== 0 && problems.length === 0 ? [stderr || `tsc ended with ${status}.`] : problems;
}

if (import.meta.main) {
  const problems = [
    ...problemsOf('tsconfig.json'),
    ...problemsOf('tsconfig.checked.json').filter((problem) => !isUnchecked(problem)),
    ...problemsOf('packages/studio/tsconfig.json').filter((problem) => !isUnchecked(problem)),
  ];
  for (const problem of new Set(problems)) console.log(problem.trimEnd());
  process.exitCode = problems.length === 0 ? 0 : 1;
}
