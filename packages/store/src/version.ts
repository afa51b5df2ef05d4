/** @file The version of this Ludus. A job that one version queues is played by the same version. */

import { readFileSync } from 'node:fs';

export const version: string = readVersion();

/** In another program's bundle, package.json is missing or belongs to that program. */
function readVersion(): string {
  try {
    const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    const { name, version } = JSON.parse(file) as { readonly name?: string; readonly version: string };
    return name === '@ludus-agents/store' ? version : 'bundled';
  } catch {
    return 'bundled';
  }
}
