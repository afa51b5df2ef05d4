/** @file Installs a package that some tests want, where a machine is ours to set up (root, with apt-get: a container). Anywhere else it does nothing. */

import { spawnSync } from 'node:child_process';

/** The first of these packages that there is. */
export function aptInstall(names: readonly string[], title: string, forWhat: string): void {
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 2],
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const quiet = ['-qq', '-o', 'Dpkg::Use-Pty=0'];
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  console.error(`Installing ${title} for ${forWhat} …`);
  if (!(apt(...quiet, 'update') && names.some((name) => apt(...quiet, 'install', '-y', '--no-install-recommends', name))))
    console.error(`${title} could not be installed; ${forWhat} will be skipped.`);
}
