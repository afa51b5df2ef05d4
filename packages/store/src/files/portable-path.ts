/** @file Paths that are the same on every system: with slashes where a document names them, and inside a folder also where a path has a drive. */

import nodePath, { type PlatformPath } from 'node:path';

type PathRules = Pick<PlatformPath, 'isAbsolute' | 'relative' | 'sep'>;

/** A path of this system as documents, hashes and addresses have it. */
export function withSlashes(path: string, { sep }: Pick<PathRules, 'sep'> = nodePath): string {
  return path.replaceAll(sep, '/');
}

/** Whether a file is below a folder. On another drive the relative path is an absolute one. */
export function isInside(file: string, folder: string, { relative, isAbsolute }: PathRules = nodePath): boolean {
  const path = relative(folder, file);
  return path !== '' && !/^\.\.(?:[\\/]|$)/.test(path) && !isAbsolute(path);
}
