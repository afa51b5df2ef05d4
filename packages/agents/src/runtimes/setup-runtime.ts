/** @file Installs a runtime with npm into a folder of Ludus, and removes the libraries of other platforms from it. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { EnvVars } from '../models/local.ts';
import { optionalPackagePath } from './optional-package.ts';
import { runtimeFolder, runtimes } from './runtimes.ts';
import { findUnusedLibraries, removeUnusedLibraries } from './unused-libraries.ts';

export interface SetupOptions {
  readonly env?: EnvVars;
  readonly signal?: AbortSignal;
}

/** A runtime after its installation. */
export interface InstalledRuntime {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The folder of the package. */
  readonly path: string;
  /** False if this version was already installed and nothing was downloaded. */
  readonly installed: boolean;
}

/** Installs the runtime of this name ("llama", "onnx", or "minilm") for every project of the user. */
export async function setupRuntime(name: string, options: SetupOptions = {}): Promise<InstalledRuntime> {
  const { env = process.env, signal } = options;
  const runtime = Object.hasOwn(runtimes, name) ? runtimes[name] : undefined;
  if (runtime === undefined)
    throw new Fault('input', `Unknown runtime "${name}". Expected ${Object.keys(runtimes).join(' or ')}.`, {
      code: 'E_UNKNOWN_RUNTIME',
      details: { runtime: name, expected: Object.keys(runtimes) },
    });
  for (const needed of runtime.needs ?? [])
    if (optionalPackagePath(runtimes[needed]!.package) === null) await setupRuntime(needed, options);
  const folder = runtimeFolder(env);
  const path = join(folder, 'node_modules', runtime.package);
  const result = { name, package: runtime.package, version: runtime.version, path };
  if (installedVersion(path) === runtime.version) return { ...result, installed: false };
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileAtomicSync(manifest, '{ "name": "ludus-runtimes", "private": true }\n');
  // The packages contain their libraries; their scripts would only download or compile more.
  const args = [
    'install',
    `${runtime.package}@${runtime.version}`,
    '--save-exact',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
  ];
  await runNpm(args, { cwd: folder, env, ...(signal !== undefined && { signal }) });
  const version = installedVersion(path);
  if (version !== runtime.version)
    throw new Fault('input', `npm reported success, but ${path} has version ${version ?? 'none'} instead of ${runtime.version}.`, {
      code: 'E_RUNTIME_SETUP',
      details: { runtime: name, path, version },
    });
  removeUnusedLibraries(path, findUnusedLibraries(path));
  if (runtime.files !== undefined) keepVerifiedFiles(path, runtime.files);
  return { ...result, installed: true };
}

/**
 * Checks the files of a package against their hashes, and removes its code, which is never run. A package with a wrong hash is removed
 * completely.
 */
function keepVerifiedFiles(path: string, files: Readonly<Record<string, string>>): void {
  for (const [file, expected] of Object.entries(files)) {
    const place = join(path, file);
    const sha256 = existsSync(place) ? createHash('sha256').update(readFileSync(place)).digest('hex') : null;
    if (sha256 === expected) continue;
    rmSync(path, { recursive: true, force: true });
    throw new Fault(
      'input',
      `${file} has the wrong SHA-256: expected ${expected}, got ${sha256 ?? 'no file'}. The package was removed; try again.`,
      {
        code: 'E_RUNTIME_CHECKSUM',
        details: { file, sha256, expected },
      },
    );
  }
  const folders = new Set([...Object.keys(files).map((file) => file.split('/', 1)[0]!), 'package.json', 'LICENSE']);
  for (const entry of readdirSync(path)) if (!folders.has(entry)) rmSync(join(path, entry), { recursive: true, force: true });
}

function installedVersion(folder: string): string | null {
  const file = join(folder, 'package.json');
  return existsSync(file) ? ((JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string }).version ?? null) : null;
}

interface NpmOptions {
  readonly cwd: string;
  readonly env: EnvVars;
  readonly signal?: AbortSignal;
}

async function runNpm(args: readonly string[], { cwd, env, signal }: NpmOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // npm is a script on Windows, which only a shell can start; every argument here is a constant.
  const child = spawn('npm', args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
    ...(signal !== undefined && { signal }),
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  child.on('error', (error) =>
    reject(
      signal?.aborted === true
        ? error
        : new Fault('input', `npm could not be started: ${error.message}. Install npm, which comes with Node.js, or add it to PATH.`, {
            code: 'E_NPM_MISSING',
            cause: error,
          }),
    ),
  );
  child.on('close', (code) => {
    const reason = output
      .split('\n')
      .filter((text) => text.startsWith('npm error'))
      .slice(0, 3)
      .map((text) => text.slice('npm error'.length).trim())
      .join(' ');
    if (code === 0) resolve();
    else
      reject(
        new Fault('input', `"npm ${args.join(' ')}" failed with exit code ${code}: ${reason || output.trim().slice(-300)}`, {
          code: 'E_RUNTIME_SETUP',
          details: { exit: code, folder: cwd },
        }),
      );
  });
  await promise;
}
