/**
 * @file Libraries of onnxruntime-node that Ludus never loads: the package contains those of all platforms, and on some machines its install
 * script adds GPU libraries. The build of a clone and `ludus doctor trim` remove them. Imports only Node modules, so the build can use it
 * under an older version.
 */

import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface UnusedLibrary {
  readonly path: string;
  readonly bytes: number;
  /** True if another folder has a hard link to the same file, so that removing it frees no space. */
  readonly linked: boolean;
}

interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** Ludus computes on CPUs only; these add GPU support, and onnxruntime loads them only on request. */
const providers = /^(lib)?onnxruntime_providers_\w+\.(so|dll|dylib)$/;

/**
 * Files in a folder of onnxruntime-node for other platforms, or for GPUs. Empty if the package is missing, has nothing for this machine, or
 * has an unknown layout. Symbolic links are neither followed nor listed.
 */
export function findUnusedLibraries(packageFolder: string, { platform, arch }: Machine = process): readonly UnusedLibrary[] {
  return foldersIn(join(packageFolder, 'bin')).flatMap((binding) => {
    const ownText = join(binding, platform, arch);
    if (!foldersIn(binding).includes(join(binding, platform)) || !namesIn(ownText).includes('onnxruntime_binding.node')) return [];
    return filesIn(binding).filter(({ path }) => !path.startsWith(join(ownText, '/')) || providers.test(path.slice(ownText.length + 1)));
  });
}

/**
 * Removes the entries themselves, never link targets, and returns those that could not be removed, with the reason. Then removes empty
 * folders.
 */
export function removeUnusedLibraries(
  packageFolder: string,
  libraries: readonly UnusedLibrary[],
): readonly { readonly path: string; readonly why: unknown }[] {
  const refused: { path: string; why: unknown }[] = [];
  for (const { path } of libraries) {
    try {
      unlinkSync(path);
    } catch (why) {
      // Another process trimming the same folder has removed it.
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
          // An empty folder takes no space.
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

/** The names in a folder; empty if it does not exist or is a link. */
function namesIn(folder: string): readonly string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder).sort() : [];
}
