/** @file Checks the packed packages as their users see them, `npm run check:packages`: publint reads the manifests, arethetypeswrong resolves the types. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tarballs = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'tarballs');
const names = existsSync(tarballs) ? readdirSync(tarballs).filter((name) => name.endsWith('.tgz')) : [];
if (names.length === 0) {
  console.error('No packages in dist/tarballs. Run "npm run build" and "npm run pack" first.');
  process.exit(1);
}

const checks = [
  ['publint@0.3.25', '--strict'],
  // ESM only: what `require` would resolve is not promised. A package with a command and no library has no entry point for types.
  ['@arethetypeswrong/cli@0.18.5', '--profile', 'esm-only', '--quiet'],
];
let failures = 0;
for (const name of names) {
  for (const args of checks) {
    const isCommandOnly = name.startsWith('create-');
    if (isCommandOnly && args[0].startsWith('@arethetypeswrong')) continue;
    const { status } = spawnSync('npx', ['--yes', ...args, join(tarballs, name)], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (status === 0) continue;
    failures += 1;
    console.error(`${args[0]} found problems in ${name}.`);
  }
}
console.error(failures === 0 ? `${names.length} packages are in order.` : `${failures} checks failed.`);
process.exit(failures === 0 ? 0 : 1);
