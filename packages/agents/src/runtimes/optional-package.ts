/**
 * @file Loads an optional package that Ludus does not depend on: from next to Ludus, from the working folder, or from the folder of
 * runtimes.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Fault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { EnvVars } from '../models/local.ts';
import { installCommand, runtimeFolder, runtimeMissing, runtimeNameOf } from './runtimes.ts';

/** The exports of a package, or a fault that says how to install it. `needed` is the start of that sentence: "Models named gguf:… need". */
export async function loadOptionalPackage(name: string, needed: string): Promise<Readonly<Record<string, unknown>>> {
  const path = optionalPackagePath(name);
  const runtime = runtimeNameOf(name);
  if (path === null)
    throw new Fault('input', `${needed} the package ${name}, which is not installed. Run "${installCommand(name)}".`, {
      code: runtime === null ? 'E_PACKAGE_MISSING' : runtimeMissing,
      details: { package: name, ...(runtime !== null && { runtime }) },
    });
  try {
    return (await import(path)) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    throw new Fault(
      'input',
      `${needed} the package ${name}, which is installed but does not load: ${sentenceOf(thrown).slice(0, 300)}. If it was installed for another platform than ${process.platform} ${process.arch}, delete its folder and run "${installCommand(name)}".`,
      { code: 'E_PACKAGE_BROKEN', details: { package: name, path }, cause: thrown },
    );
  }
}

/** The import address of a package, or null. */
export function optionalPackagePath(name: string, env?: EnvVars): string | null {
  for (const from of optionalPackageRoots(process.cwd(), env)) {
    try {
      return pathToFileURL(createRequire(from).resolve(name)).href;
    } catch {
      // Not found here; try the next place.
    }
  }
  return null;
}

/** The folders where packages are looked up, in this order: Ludus, the working folder, the folder of runtimes. */
export function optionalPackageRoots(cwd: string = process.cwd(), env: EnvVars = process.env): readonly string[] {
  return [import.meta.url, pathToFileURL(join(cwd, 'package.json')).href, pathToFileURL(join(runtimeFolder(env), 'package.json')).href];
}
