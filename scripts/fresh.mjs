/** @file What a clone has: a build of the sources as they are now, and a Node that can run them. */

// Plain JavaScript for the oldest Node a visitor may have: it runs before anything is installed.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'page') continue;
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** `npm ci`, `npx ludus` in a checkout and every npm script ask; all but the first of them find a build. */
export function isBuilt(root) {
  const stamp = join(root, 'dist', '.built');
  if (!existsSync(stamp)) return false;
  const settings = ['tsconfig.json', 'tsconfig.build.json'].map((file) => statSync(join(root, file)).mtimeMs);
  return statSync(stamp).mtimeMs >= Math.max(newest(join(root, 'packages')), ...settings);
}

/** The Node that came with the packages (scripts/node), or the one that runs this where none is made for the machine and this one is new enough. */
export function nodeOf(root) {
  const [platform, ending] = process.platform === 'win32' ? ['win', '.exe'] : [process.platform, ''];
  for (const prefix of ['node', 'node-bin']) {
    const bundled = join(root, 'node_modules', `${prefix}-${platform}-${process.arch}`, 'bin', `node${ending}`);
    if (existsSync(bundled)) return bundled;
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  console.error(
    `No Node was installed with the packages (${process.platform} ${process.arch}), and this one is ${process.versions.node}: install Node 22.13 or later, or run "npm ci" without omitting dev or optional packages.`,
  );
  process.exit(1);
}
