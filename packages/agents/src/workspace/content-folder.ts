/** @file Content folders: world.json names an environment, and the other files are its content. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { ContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import { ContentSource, contentFault, createContentEnvironment, worldShape } from '@ludus-agents/environments/internal/content/content';
import { contentWorlds, loadContentReader } from '@ludus-agents/environments/internal/content/readers';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { checkFile } from './consent.ts';
import type { NamingPlace } from './name-resolvers.ts';

const [mostFiles, longestFile, mostText] = [5_000, 4_000_000, 32_000_000];

/** True for a path to a folder with world.json. */
export function isContentFolder(name: string, cwd: string): boolean {
  return /[\\/]/.test(name) && existsSync(join(resolve(cwd, name), 'world.json'));
}

/** The environment of a content folder; throws one fault that lists all problems. */
export async function loadContentFolder(name: string, { cwd, trust }: NamingPlace): Promise<ContentEnvironment> {
  const folder = checkFile(name, trust, { cwd, env: process.env });
  const source = new ContentSource(readTexts(folder, name));
  const settings = source.json('world.json', worldShape);
  if (settings === undefined) throw contentFault(name, source.problems);
  const { environment, task = {} } = settings;
  const reader = await loadContentReader(environment);
  if (reader === null) {
    source.refuse(
      'world.json',
      ['environment'],
      `"${environment}" does not take content; ${contentWorlds.join(', ')} do.${didYouMean(environment, contentWorlds)}`,
    );
    throw contentFault(name, source.problems);
  }
  const base = await builtInEnvironment(environment);
  const content = reader.read(source, task);
  if (source.problems.length > 0) throw contentFault(name, source.problems);
  const world = createContentEnvironment(base, { settings, name: settings.name ?? basename(folder), content, reader });
  for (const input of [...world.cases, ...world.heldOut])
    try {
      world.task(input);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      source.refuse('world.json', ['task'], message);
      throw contentFault(name, source.problems);
    }
  return world;
}

/** The text files of a folder by path, with slashes on every system. Hidden files, packages, and binary files are omitted. */
function readTexts(folder: string, name: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let total = 0;
  const visit = (path: string, prefix: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const file = join(path, entry.name);
      if (entry.isDirectory()) visit(file, `${prefix}${entry.name}/`);
      else if (entry.isFile() && statSync(file).size <= longestFile) {
        const bytes = readFileSync(file);
        if (bytes.subarray(0, 8_000).includes(0)) continue;
        total += bytes.length;
        files.set(`${prefix}${entry.name}`, bytes.toString('utf8').replace(/^\uFEFF/, ''));
        if (files.size > mostFiles || total > mostText)
          throw new Fault('input', `${name} has more than ${mostFiles} files or ${mostText / 1e6} MB of text. Use a smaller folder.`, {
            code: 'E_CONTENT_SIZE',
            details: { files: files.size, bytes: total },
          });
      }
    }
  };
  visit(folder, '');
  return files;
}
