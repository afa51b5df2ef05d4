/** @file Everything that is installed with the packages of Ludus, from the lockfile. `npm sbom --omit dev` leaves out what the repository also develops with. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Packages with the path of their folder, without those that are only developed with and our own. */
export function runtimePackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link)
    .map(([path, { version, license = 'unknown', integrity = '', resolved = '' }]) => ({
      ...{ path, name: path.replace(/^.*node_modules\//, ''), version, license, integrity, resolved },
    }));
}
