/** @file Compiles src/ into dist/, one file for one file without a bundler, and the studio's page into dist/studio where it has changed. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

// The page takes longest and changes least, so what is built of it stays.
mkdirSync(dist, { recursive: true });
for (const entry of readdirSync(dist)) if (entry !== 'studio') rmSync(join(dist, entry), { recursive: true, force: true });
const done = spawnSync(bin('node'), [bin('tsc'), '-p', join(root, 'tsconfig.build.json')], { cwd: root, stdio: 'inherit' });
if (done.status !== 0) {
  console.error('The build stopped at the errors above.');
  process.exit(1);
}
buildPage();
writeFileSync(join(dist, '.built'), '');

/** Builds the page unless the one that is there was made of the same files. */
function buildPage() {
  const sources = join(root, 'studio');
  const stamp = join(dist, 'studio', '.built');
  const made = createHash('sha256');
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('node_modules'));
  for (const file of files.sort()) made.update(file.slice(sources.length)).update(readFileSync(file));
  const hash = made.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const built = spawnSync(bin('node'), [bin('vite'), 'build', '--logLevel', 'warn', sources], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) {
    console.error('The page could not be built; the errors are above.');
    process.exit(1);
  }
  writeFileSync(stamp, hash);
}

// npm links the commands of dependencies, not of the package itself; with this, `npx ludus` in a checkout starts at once.
if (process.platform !== 'win32') {
  rmSync(bin('ludus'), { force: true });
  symlinkSync(join('..', '..', 'bin', 'ludus.js'), bin('ludus'));
}
