/** @file Loads a package that Ludus works with but does not bring: from beside Ludus, or from the folder the user works in. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** The exports of a package, or a fault that says what to install. */
export async function loadPeer(name: string, needed: string): Promise<Readonly<Record<string, unknown>>> {
  const found = peerPath(name);
  if (found === null) throw new Fault('input', `${needed} the package ${name}, which is not installed; run "npm install ${name}".`);
  try {
    return (await import(found)) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    throw new Fault('input', `${needed} the package ${name}, which is installed but does not load: ${sentenceOf(thrown).slice(0, 300)}`);
  }
}

/** Where a package is, as an address to import it from, or null. */
export function peerPath(name: string): string | null {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return pathToFileURL(createRequire(from).resolve(name)).href;
    } catch {
      // Not there; the next place may have it.
    }
  }
  return null;
}
