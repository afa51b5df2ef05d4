/**
 * @file Publishes the packed tarballs, the packages that others depend on first: `node scripts/publish.mjs [--dry-run] [--provenance]`. A version
 * that the registry has already is skipped, so that a release that broke off can be run again.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manifestIn } from './local-registry.mjs';

/** Manifests in an order in which each comes after everything that it depends on. */
export function publishOrder(manifests) {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));
  const order = [];
  const visit = (manifest, path) => {
    if (path.includes(manifest.name)) throw new Error(`Circular dependency: ${[...path, manifest.name].join(' → ')}`);
    if (order.includes(manifest)) return;
    for (const name of Object.keys(manifest.dependencies ?? {}).sort()) {
      const dependency = byName.get(name);
      if (dependency !== undefined) visit(dependency, [...path, manifest.name]);
    }
    order.push(manifest);
  };
  for (const name of [...byName.keys()].sort()) visit(byName.get(name), []);
  return order;
}

function publish(flags) {
  const tarballs = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'tarballs');
  const files = new Map();
  for (const file of readdirSync(tarballs).filter((name) => name.endsWith('.tgz'))) {
    const manifest = manifestIn(readFileSync(join(tarballs, file)));
    files.set(manifest, join(tarballs, file));
  }
  const npm = (...args) => spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });
  for (const manifest of publishOrder([...files.keys()])) {
    const name = `${manifest.name}@${manifest.version}`;
    if (npm('view', name, 'version').stdout?.trim() === manifest.version) {
      console.log(`· ${name} is published already`);
      continue;
    }
    const { status, stderr } = npm('publish', files.get(manifest), '--access', 'public', ...flags);
    if (status !== 0) {
      console.error(`✗ ${name}\n${stderr}`);
      return 1;
    }
    console.log(`✓ ${name}${flags.includes('--dry-run') ? ' (dry run)' : ''}`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = publish(process.argv.slice(2));
