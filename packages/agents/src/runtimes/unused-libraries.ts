/**
 * @file Libraries of onnxruntime-node that Ludus never loads: its package has those of all platforms in one, and on some machines its install
 * script adds those of graphics cards. The build of a clone and `ludus doctor trim` remove them. Imports nothing but Node, so that the
 * build can use it under an older one.
 */

import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface UnusedLibrary {
  readonly path: string;
  readonly bytes: number;
  /** True where another folder has the same file by a hard link: it keeps it, and no room is freed. */
  readonly linked: boolean;
}

interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Ludus computes on processors alone; these bring graphics cards in, and onnxruntime loads them only when it is asked to. */
const providers = /^(lib)?onnxruntime_providers_\w+\.(so|dll|dylib)$/;

/**
 * Files in a folder of onnxruntime-node for other platforms than this one, or for graphics cards. None where the package is not there, or has
 * nothing for this machine, or is laid out in a way that is not known. Symbolic links are not followed, and not listed.
 */
export function findUnusedLibraries(packageFolder: string, { platform, arch }: Machine = process): readonly UnusedLibrary[] {
  return foldersIn(join(packageFolder, 'bin')).flatMap((binding) => {
    const ownText = join(binding, platform, arch);
    if (!foldersIn(binding).includes(join(binding, platform)) || !namesIn(ownText).includes('onnxruntime_binding.node')) return [];
    return filesIn(binding).filter(({ path }) => !path.startsWith(join(ownText, '/')) || providers.test(path.slice(ownText.length + 1)));
  });
}

/** Removes names, never what they point to, and gives back what could not be removed with the reason. Folders that are empty then go too. */
export function removeUnusedLibraries(
  packageFolder: string,
  libraries: readonly UnusedLibrary[],
): readonly { readonly path: string; readonly why: unknown }[] {
  const refused: { path: string; why: unknown }[] = [];
  for (const { path } of libraries) {
    try {
      unlinkSync(path);
    } catch (why) {
      // Another process that trims the same folder has removed it.
      if ((why as NodeJS.ErrnoException).code !== 'ENOENT') refused.push({ path, why });
    }
  }
  for (const binding of foldersIn(join(packageFolder, 'bin'))) {
    for (const platform of foldersIn(binding)) {
      for (const folder of [...foldersIn(platform), platform]) {
        if (namesIn(folder).length > 0) continue;
        try {
          rmdirSync(folder);
        } catch {
          // An empty folder takes no room.
        }
      }
    }
  }
  return refused;
}

/** "263 MB", "0.4 MB". */
export function megabytesOf(libraries: readonly { readonly bytes: number }[]): string {
  const megabytes = libraries.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
  return `${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB`;
}

function filesIn(folder: string): readonly UnusedLibrary[] {
  return [
    ...foldersIn(folder).flatMap(filesIn),
    ...namesIn(folder).flatMap((name) => {
      const path = join(folder, name);
      const entry = lstatSync(path);
      return entry.isFile() ? [{ path, bytes: entry.size, linked: entry.nlink > 1 }] : [];
    }),
  ];
}

function foldersIn(folder: string): readonly string[] {
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isDirectory());
}

/** Names in a folder, none where there is no such folder; a link to one is none. */
function namesIn(folder: string): readonly string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder).sort() : [];
}
