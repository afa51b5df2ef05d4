/** @file Installs a package that some tests need, where the machine may be set up for them (root, with apt-get). Anywhere else it does nothing. */

import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline/promises';

export interface TestPackage {
  /** Names of packages with it, the preferred one first. */
  readonly names: readonly string[];
  readonly title: string;
  /** The tests that are skipped without it. */
  readonly neededBy: string;
  /** The environment variable that refuses it: NAME=skip. */
  readonly refusal: string;
}

/** Prints the packages before it installs them. At a terminal it waits for confirmation; with CI set, or without a terminal, no one can be asked. */
export async function aptInstall({ names, title, neededBy, refusal }: TestPackage): Promise<void> {
  if (process.env[refusal] === 'skip' || process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  console.error(`${title} is missing, which ${neededBy} need. About to install the Debian package "${names[0]}" with apt-get.`);
  console.error(`To leave this machine as it is and skip those tests, set ${refusal}=skip.`);
  if (isAttended() && !(await isAgreed(`Install ${title}?`))) {
    console.error(`${title} is not installed; ${neededBy} will be skipped.`);
    return;
  }
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 2],
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const quiet = ['-qq', '-o', 'Dpkg::Use-Pty=0'];
  if (!(apt(...quiet, 'update') && names.some((name) => apt(...quiet, 'install', '-y', '--no-install-recommends', name))))
    console.error(`${title} could not be installed; ${neededBy} will be skipped.`);
}

function isAttended(): boolean {
  return !process.env['CI'] && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function isAgreed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [Y/n] `);
  terminal.close();
  return /^(?:y(?:es)?)?$/i.test(answer.trim());
}
