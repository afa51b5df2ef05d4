/** @file Makes a fresh clone ready: installs what the lockfile says, builds what the sources say, and does nothing when both are done. */

// Plain JavaScript for the oldest Node a visitor may have: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, nodeOf } from './fresh.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);

function run(command, args, input = 'ignore') {
  const done = spawnSync(command, args, { cwd: root, stdio: [input, 2, 2], shell: process.platform === 'win32' });
  if (done.status !== 0) {
    console.error(
      `Set-up stopped: "${command} ${args.join(' ')}" failed${done.error ? ` (${done.error.message})` : ''}. Fix that, then run the command again.`,
    );
    process.exit(1);
  }
}

// What onnxruntime-node brings is all that is used of it; its own script would fetch libraries for graphics cards from elsewhere.
process.env.ONNXRUNTIME_NODE_INSTALL ??= 'skip';

const installed = at('node_modules', '.package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(at('package-lock.json')).mtimeMs) {
  console.error('Installing the packages of package-lock.json into node_modules (about 700 MB) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

if (!isBuilt(root)) console.error('Building dist …');
if (!isBuilt(root)) run(process.execPath, [at('scripts', 'build.mjs'), 'where-changed']);

// Tests of the studio need a browser, those of the sandbox bubblewrap. Both scripts say what they are about to install, and ask at a terminal.
if (process.argv[2] === 'browser')
  for (const script of ['browser.ts', 'bubblewrap.ts']) run(nodeOf(root), [at('scripts', script)], 'inherit');
