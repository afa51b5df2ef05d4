/** @file Whether dist/ was built of the sources as they are now. */

// Plain JavaScript for the oldest Node a visitor may have: it runs before anything is installed.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
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
  return statSync(stamp).mtimeMs >= Math.max(newest(join(root, 'src')), newest(join(root, 'studio')), ...settings);
}
