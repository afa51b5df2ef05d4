/** @file Lines of each package without its tests, as the table in ARCHITECTURE.md shows them: `node scripts/lines.ts` prints them, `--write` puts them there. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const document = join(root, 'ARCHITECTURE.md');

/** Lines of sources and style sheets of a package; tests and the cases that several tests share do not count. */
export function linesOf(name: string): number {
  const folder = join(root, 'packages', name, 'src');
  let lines = 0;
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/\.(ts|tsx|css)$/.test(file) && !/\.(test|cases)\.tsx?$/.test(file))
      lines += readFileSync(join(folder, file), 'utf8').split('\n').length - 1;
  return lines;
}

/** The rows of the table in ARCHITECTURE.md: the package and its lines there. */
export function rowsInDocument(): readonly (readonly [name: string, lines: number])[] {
  return [...readFileSync(document, 'utf8').matchAll(rows)].map(([, name, lines]) => [String(name), Number(lines?.replaceAll(',', ''))]);
}

const rows = /^\| `([\w-]+)` \| ([\d,]+) \|$/gm;

if (import.meta.main) {
  const counts = rowsInDocument().map(([name]) => [name, linesOf(name)] as const);
  for (const [name, lines] of [...counts, ['all', counts.reduce((sum, [, lines]) => sum + lines, 0)] as const])
    console.log(`${name.padEnd(14)}${String(lines).padStart(8)}`);
  if (process.argv.includes('--write')) {
    const formattedLines = (name: string) => (Math.round(linesOf(name) / 100) * 100).toLocaleString('en-US');
    const text = readFileSync(document, 'utf8');
    writeFileSync(
      document,
      text.replace(rows, (_, name: string) => `| \`${name}\` | ${formattedLines(name)} |`),
    );
  }
}
