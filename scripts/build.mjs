/** @file Compiles src/ into dist/: one file for one file, no bundler. */

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const bin = (name) => join(root, 'node_modules', '.bin', name);

// `npx ludus` on a fresh clone asks for a build before anything is installed. Installing brings the build along; should that build find
// nothing installed either, it must not begin again.
if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) {
  if (process.env.LUDUS_INSTALLING) process.exit(0);
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    env: { ...process.env, LUDUS_INSTALLING: '1' },
  });
  process.exit(install.status ?? 1);
}

rmSync(dist, { recursive: true, force: true });
const done = spawnSync(bin('node'), [bin('tsc'), '-p', join(root, 'tsconfig.build.json')], { cwd: root, stdio: 'inherit' });
if (done.status !== 0) {
  console.error('The build stopped at the errors above.');
  process.exit(1);
}
writeFileSync(join(dist, '.built'), '');

// npm links the commands of dependencies, not of the package itself; with this, `npx ludus` in a checkout starts at once.
if (process.platform !== 'win32') {
  rmSync(bin('ludus'), { force: true });
  symlinkSync(join('..', '..', 'bin', 'ludus.js'), bin('ludus'));
}
