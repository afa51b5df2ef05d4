/** @file Writes the licenses of everything that is installed with the packages to THIRD-PARTY-LICENSES.txt: `npm run licenses`. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const runtime = Object.entries(packages).filter(([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link);
const sections = runtime.map(([path, { version, license = 'unknown' }]) => {
  const folder = join(root, path);
  const file = existsSync(folder) ? readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name)) : undefined;
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${path.replace(/^.*node_modules\//, '')} ${version} (${license})\n${text}`;
});
writeFileSync(join(root, 'THIRD-PARTY-LICENSES.txt'), `${sections.join(`\n${'-'.repeat(80)}\n`)}\n`);
const withText = sections.filter((section) => section.trim().includes('\n')).length;
console.log(`${sections.length} packages, ${withText} with the text of their license.`);
