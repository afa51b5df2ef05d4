/** @file Raises every version by the changesets, `npm run version-packages`, also where those do not look: the repository, its citation, and the Python packages. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './runtime-packages.mjs';

/** Files that name the version, each with the line that does. */
export function filesWithVersion() {
  const python = readdirSync(join(root, 'python')).filter((name) => name.startsWith('ludus_'));
  return new Map([
    ['package.json', /^( {2}"version": ")[^"]+/m],
    ['CITATION.cff', /^(version: ).+$/m],
    ...python.flatMap((name) => [
      [`python/${name}/pyproject.toml`, /^(version = ")[^"]+/m],
      [`python/${name}/${name}/__init__.py`, /^(__version__ = ")[^"]+/m],
    ]),
  ]);
}

function run(...args) {
  const { status } = spawnSync(args[0], args.slice(1), { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  run('npx', '--yes', '@changesets/cli@3.0.3', 'version');
  const { version } = JSON.parse(readFileSync(join(root, 'packages/ludus-agents/package.json'), 'utf8'));
  for (const [file, pattern] of filesWithVersion()) {
    const text = readFileSync(join(root, file), 'utf8');
    writeFileSync(
      join(root, file),
      text.replace(pattern, (_, before) => `${before}${version}`),
    );
  }
  run('npm', 'install', '--package-lock-only', '--ignore-scripts');
}
