/** @file Writes the licenses of everything that is installed with the packages to THIRD-PARTY-LICENSES.txt: `npm run licenses`. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runtimePackages } from './runtime-packages.mjs';

const sections = runtimePackages().map(({ path, name, version, license }) => {
  const folder = join(root, path);
  const file = existsSync(folder) ? readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry)) : undefined;
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
});
writeFileSync(join(root, 'THIRD-PARTY-LICENSES.txt'), `${sections.join(`\n${'-'.repeat(80)}\n`)}\n`);
const withText = sections.filter((section) => section.trim().includes('\n')).length;
console.log(`${sections.length} packages, ${withText} with the text of their license.`);
