/**
 * @file Moves the sources into packages, on a clean checkout of any later state: `node_modules/.bin/node scripts/packages/move.ts`. README.md says what is left to do by hand.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { planLayout, root, umbrella } from './layout.ts';
import { writeEntries, writePackages } from './packages.ts';
import { patch, writeKnip } from './patches.ts';
import { rewrite } from './rewrite.ts';

const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });

if (existsSync(join(root, 'packages'))) throw new Error('There is a folder packages/ already: the move was made.');
if (git('status', '--porcelain').trim() !== '' && !process.argv.includes('--force'))
  throw new Error('The checkout has changes; commit them first, or give --force.');

const layout = planLayout();

// Texts first, while every file is where it was.
const texts = new Map<string, string>();
for (const file of layout.files) {
  if (
    !/\.([cm]?[jt]sx?|md|jsonc?|ya?ml|py|sh|txt|html|css)$|Dockerfile|dockerignore|\.ci\//.test(file) ||
    file.startsWith('scripts/packages/')
  )
    continue;
  if (file === 'package-lock.json' || file.startsWith('benchmarks/results/') || file.startsWith('test/golden/')) continue;
  const before = readFileSync(join(root, file), 'utf8');
  const after = rewrite(layout, file, before);
  if (after !== before) texts.set(file, after);
}
for (const [from, to] of layout.moves) {
  mkdirSync(join(root, dirname(to)), { recursive: true });
  renameSync(join(root, from), join(root, to));
}
for (const [file, text] of texts) writeFileSync(join(root, layout.moves.get(file) ?? file), text);
for (const folder of ['src', 'studio', 'bin', 'schemas']) removeEmpty(join(root, folder));

rmSync(join(root, 'test', 'rooms.test.ts'), { force: true });
cpSync(join(import.meta.dirname, 'new'), root, { recursive: true });
const missed = patch(layout);
writePackages();
writeKnip(layout, writeEntries());

rmSync(join(root, 'dist'), { recursive: true, force: true });
git('add', '-A', ':!scripts/packages');
const biome = spawnSync(process.execPath, [join(root, 'node_modules', '.bin', 'biome'), 'check', '--write', '.'], {
  cwd: root,
  encoding: 'utf8',
});
if (biome.status !== 0) console.log(`Biome left something to do:\n${biome.stdout}${biome.stderr}`);
git('add', '-A');
console.log(
  `Moved ${layout.moves.size} files; rewrote ${texts.size}. Tests on top: ${[...layout.moves.values()].filter((to) => to.startsWith(`packages/${umbrella}/test/`)).length}.`,
);
for (const one of missed) console.log(`Not found, to be done by hand: ${one}`);

function removeEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name !== 'node_modules') removeEmpty(join(folder, entry.name));
  // What is left is ignored by git: installed packages of the page.
  if (readdirSync(folder).every((name) => name === 'node_modules')) rmSync(folder, { recursive: true, force: true });
}
