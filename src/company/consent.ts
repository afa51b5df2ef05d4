/** @file What data may set in motion: one function decides whether a file may become code. */

import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { Fault } from '../core/index.ts';
import type { Place } from './stores.ts';

/**
 * Who names a thing. `user`: typed, or in a file that was typed. `folder`: a request with the token, a job of a shared store, or a file of
 * the working folder. `data`: everything that a store holds.
 */
export type Source = 'user' | 'folder' | 'data';

/** The real path of a file that is to be loaded as code, or a fault that says why not. */
export function checkCode(path: string, source: Source, { cwd }: Place): string {
  const named = resolve(cwd, path);
  const file = realOr(named);
  // Who may not load a file is not told either whether it is there.
  if (source === 'user' || (source === 'folder' && isBelow(file, cwd))) {
    if (existsSync(file)) return file;
    throw new Fault('input', `There is no file ${named}; name a built-in environment or a file that exports one.`);
  }
  const why =
    source === 'folder'
      ? `lies outside the folder ${cwd} (its real path is ${file})`
      : 'is named by stored data, and data does not run code by itself';
  throw new Fault('input', `The file ${path.slice(0, 200)} ${why}.`);
}

function isBelow(file: string, folder: string): boolean {
  const inside = relative(realOr(folder), file);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
