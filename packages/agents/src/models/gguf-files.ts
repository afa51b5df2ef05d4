/** @file GGUF files in the folders where programs keep them, found without loading any. */

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type GgufGlance, glanceAt } from './gguf-header.ts';
import { cacheFolder, type EnvVars } from './local.ts';

export interface GgufFile extends GgufGlance {
  readonly path: string;
  readonly bytes: number;
}

/** A look around stays short: so many levels of a folder, and so many files in all. */
const deepest = 4;
const mostFiles = 40;
const mostFolders = 400;

/** Where Ludus, node-llama-cpp, LM Studio, Jan, GPT4All and people themselves keep such files. */
export function ggufFolders(env: EnvVars = process.env): readonly string[] {
  const home = env['HOME'] || env['USERPROFILE'] || homedir();
  return [
    join(cacheFolder(env), 'models'),
    join(home, '.node-llama-cpp', 'models'),
    join(home, '.lmstudio', 'models'),
    join(home, '.cache', 'lm-studio', 'models'),
    join(home, 'jan', 'models'),
    join(home, 'models'),
    ...(env['LUDUS_MODELS'] ? [env['LUDUS_MODELS']] : []),
  ];
}

/** The files, by path: of the usual folders, and of the working folder. Folders that are not there, or not for us, are passed over. */
export async function ggufFiles(env: EnvVars = process.env, cwd?: string): Promise<readonly GgufFile[]> {
  const matches: string[] = [];
  // Of the working folder its own files are enough, such as an exported adapter: it may hold anything else, and much of it.
  const left = ggufFolders(env).map((folder) => ({ folder, depth: 0 }));
  if (cwd !== undefined && !left.some(({ folder }) => resolve(cwd, folder) === cwd)) left.unshift({ folder: cwd, depth: deepest });
  for (let seenCount = 0; left.length > 0 && seenCount < mostFolders && matches.length < mostFiles; seenCount++) {
    const { folder, depth } = left.shift() as { folder: string; depth: number };
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory() && depth < deepest) left.push({ folder: join(folder, entry.name), depth: depth + 1 });
      else if (entry.name.toLowerCase().endsWith('.gguf') && !entry.isDirectory()) matches.push(join(folder, entry.name));
    }
  }
  const files = await Promise.all(
    matches.slice(0, mostFiles).map(async (path): Promise<GgufFile | null> => {
      const size = await stat(path).catch(() => null);
      return size === null ? null : { path, bytes: size.size, ...(await glanceAt(path)) };
    }),
  );
  return files.filter((file) => file !== null);
}
