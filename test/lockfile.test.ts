/** @file What the lockfile has to say so that an install asks the registry for nothing but archives that are not here yet. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
const locked = Object.entries<Locked>(read('package-lock.json').packages).filter(
  ([path, item]) => path.includes('node_modules/') && !item.link,
);

describe('the lockfile', () => {
  it('has the address and checksum of every package at the public registry', () => {
    const without = locked.filter(([, item]) => item.integrity !== undefined && !item.resolved?.startsWith('https://registry.npmjs.org/'));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('has Node for five platforms, without install scripts', () => {
    const { optionalDependencies } = read('scripts/node/package.json');
    const entries = new Map(locked);
    for (const name of Object.keys(optionalDependencies))
      expect(entries.get(`node_modules/${name}`)).toMatchObject({ dev: true, optional: true, version: optionalDependencies[name] });
    expect(locked.filter(([path, item]) => path.startsWith('node_modules/node-') && item.hasInstallScript).map(([path]) => path)).toEqual([
      'node_modules/node-llama-cpp',
    ]);
  });
});
