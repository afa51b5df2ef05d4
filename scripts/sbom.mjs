/** @file Writes everything that is installed with the packages to sbom.cdx.json, as CycloneDX 1.6: `npm run sbom`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runtimePackages } from './runtime-packages.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'packages/ludus-agents/package.json'), 'utf8'));
const purl = (name, of) => `pkg:npm/${name.replace('@', '%40')}@${of}`;
const components = runtimePackages().map(({ name, version: of, license, integrity }) => ({
  ...{ type: 'library', 'bom-ref': purl(name, of), name, version: of, purl: purl(name, of) },
  licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
  hashes: integrity.startsWith('sha512-')
    ? [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }]
    : [],
}));
const bom = {
  ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
  metadata: { component: { type: 'application', 'bom-ref': purl('ludus-agents', version), name: 'ludus-agents', version } },
  components,
};
writeFileSync(join(root, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${components.length} packages.`);
