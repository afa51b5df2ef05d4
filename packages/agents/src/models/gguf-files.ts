/** @file Finds GGUF files in the folders where programs store them, without loading any. */

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

/** Limits of the search: levels of a folder, and files in total. */
const deepest = 4;
const mostFiles = 40;
const mostFolders = 400;

/** The folders where Ludus, node-llama-cpp, LM Studio, Jan, GPT4All, and users store such files. */
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

/** The files in the default folders and the working folder, by path. Missing or unreadable folders are skipped. */
export async function ggufFiles(env: EnvVars = process.env, cwd?: string): Promise<readonly GgufFile[]> {
  const matches: string[] = [];
  // In the working folder only direct files are listed, such as an exported adapter, because it may contain many other files.
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
