/** @file Packs what was built into dist/tarballs: `npm run pack`. The tarballs install together, `npm install dist/tarballs/*.tgz`, and are published from the ground up. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const staged = join(root, 'dist', 'node_modules');
const tarballs = join(root, 'dist', 'tarballs');

if (!existsSync(join(staged, 'ludus-agents'))) {
  console.error('Nothing is built yet; run "npm run build" first.');
  process.exit(1);
}
rmSync(tarballs, { recursive: true, force: true });
mkdirSync(tarballs, { recursive: true });
const folders = [
  'ludus-agents',
  'create-ludus-agents',
  ...readdirSync(join(staged, '@ludus-agents')).map((name) => join('@ludus-agents', name)),
];
const { status } = spawnSync(
  'npm',
  ['pack', '--silent', '--ignore-scripts', '--pack-destination', tarballs, ...folders.map((folder) => join(staged, folder))],
  {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  },
);
process.exit(status ?? 1);
