/**
 * @file Raises every version by the changesets, `npm run version-packages`, also where those do not look: the repository, its citation, and the
 * Python packages. A version without a tag is not released yet: changesets are added to its changelogs, and no version is raised.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './runtime-packages.mjs';

/** Files that name the version, each with the line that does. */
export function filesWithVersion() {
  const python = readdirSync(join(root, 'python')).filter((name) => name.startsWith('ludus_'));
  return new Map([
    ['package.json', /^( {2}"version": ")[^"]+/m],
    ['CITATION.cff', /^(version: ).+$/m],
    ...python.flatMap((name) => [
      [`python/${name}/pyproject.toml`, /^(version = ")[^"]+/m],
      [`python/${name}/${name}/__init__.py`, /^(__version__ = ")[^"]+/m],
    ]),
  ]);
}

/** The sentence of a changeset, and how large the change is for each package. */
export function readChangeset(text) {
  const [, head, sentence] = text.split(/^---$/m);
  const packages = head
    .trim()
    .split('\n')
    .map((line) => line.split(':').map((part) => part.trim().replaceAll('"', '')));
  return { sentence: sentence.trim().replaceAll('\n', ' '), packages };
}

/** A changelog with one more sentence at the end of a section of its newest version. */
export function withChange(changelog, size, sentence) {
  const heading = `### ${size[0].toUpperCase()}${size.slice(1)} Changes`;
  const [title, newest, ...older] = changelog.split(/^(?=## )/m);
  const sections = newest.trimEnd().split(/^(?=### )/m);
  if (!sections.some((section) => section.startsWith(heading))) sections.push(`\n\n${heading}\n`);
  const edited = sections.map((section) =>
    section.trim().startsWith(heading) ? `${section.trimEnd()}\n${section.trim() === heading ? '\n' : ''}- ${sentence}\n\n` : section,
  );
  return `${title}${edited
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n${older.length > 0 ? '\n' : ''}${older.join('')}`;
}

function addToChangelogs() {
  const folders = new Map(
    readdirSync(join(root, 'packages')).map((name) => [
      JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).name,
      name,
    ]),
  );
  for (const name of readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')) {
    const file = join(root, '.changeset', name);
    const { sentence, packages } = readChangeset(readFileSync(file, 'utf8'));
    for (const [changed, size] of packages) {
      const changelog = join(root, 'packages', folders.get(changed), 'CHANGELOG.md');
      writeFileSync(changelog, withChange(readFileSync(changelog, 'utf8'), size, sentence));
    }
    rmSync(file);
  }
}

function isReleased(version) {
  return spawnSync('git', ['tag', '--list', `v${version}`], { cwd: root, encoding: 'utf8' }).stdout.trim() !== '';
}

function run(...args) {
  const { status } = spawnSync(args[0], args.slice(1), { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = () => JSON.parse(readFileSync(join(root, 'packages/ludus-agents/package.json'), 'utf8')).version;
  if (!isReleased(current())) {
    addToChangelogs();
    process.exit(0);
  }
  run('npx', '--yes', '@changesets/cli@3.0.3', 'version');
  const version = current();
  for (const [file, pattern] of filesWithVersion()) {
    const text = readFileSync(join(root, file), 'utf8');
    writeFileSync(
      join(root, file),
      text.replace(pattern, (_, before) => `${before}${version}`),
    );
  }
  run('npm', 'install', '--package-lock-only', '--ignore-scripts');
}
