/** @file Of onnxruntime-node only what this machine loads is kept; nothing else is ever touched. */

import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findUnusedLibraries, megabytesOf, removeUnusedLibraries } from './unused-libraries.ts';

const results: string[] = [];
afterAll(() => {
  for (const path of results) rmSync(path, { recursive: true, force: true });
});

const shipped = [
  'bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib',
  'bin/napi-v6/darwin/arm64/onnxruntime_binding.node',
  'bin/napi-v6/linux/arm64/libonnxruntime.so.1',
  'bin/napi-v6/linux/arm64/onnxruntime_binding.node',
  'bin/napi-v6/linux/x64/libonnxruntime.so.1',
  'bin/napi-v6/linux/x64/libonnxruntime_providers_cuda.so',
  'bin/napi-v6/linux/x64/libonnxruntime_providers_shared.so',
  'bin/napi-v6/linux/x64/libonnxruntime_providers_tensorrt.so',
  'bin/napi-v6/linux/x64/onnxruntime_binding.node',
  'bin/napi-v6/win32/x64/DirectML.dll',
  'bin/napi-v6/win32/x64/onnxruntime.dll',
  'bin/napi-v6/win32/x64/onnxruntime_binding.node',
  'dist/index.js',
  'package.json',
];

function packageFolder(files: readonly string[] = shipped): string {
  const path = join(mkdtempSync(join(tmpdir(), 'ludus-')), 'onnxruntime-node');
  results.push(dirname(path));
  for (const file of files) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), file);
  }
  return path;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe('unused libraries of onnxruntime-node', () => {
  it.each([
    ['linux', 'x64', ['bin/napi-v6/linux/x64/libonnxruntime.so.1', 'bin/napi-v6/linux/x64/onnxruntime_binding.node']],
    ['linux', 'arm64', ['bin/napi-v6/linux/arm64/libonnxruntime.so.1', 'bin/napi-v6/linux/arm64/onnxruntime_binding.node']],
    [
      'win32',
      'x64',
      ['bin/napi-v6/win32/x64/DirectML.dll', 'bin/napi-v6/win32/x64/onnxruntime.dll', 'bin/napi-v6/win32/x64/onnxruntime_binding.node'],
    ],
  ])('are all those not for %s %s, and are removed only once', (platform, arch, retained) => {
    const folder = packageFolder();
    const unusedLibraries = findUnusedLibraries(folder, { platform, arch });
    expect(removeUnusedLibraries(folder, unusedLibraries)).toEqual([]);
    expect(filesIn(folder)).toEqual([...retained, 'dist/index.js', 'package.json']);
    expect(readdirSync(join(folder, 'bin', 'napi-v6'))).toEqual([platform]);
    expect(findUnusedLibraries(folder, { platform, arch })).toEqual([]);
    expect(removeUnusedLibraries(folder, unusedLibraries)).toEqual([]);
  });

  it('are empty if the package is absent, lacks this platform, or has another layout', () => {
    const linux = { platform: 'linux', arch: 'x64' };
    expect(findUnusedLibraries('/nowhere/onnxruntime-node', linux)).toEqual([]);
    expect(findUnusedLibraries(packageFolder(), { platform: 'freebsd', arch: 'x64' })).toEqual([]);
    expect(findUnusedLibraries(packageFolder(), { platform: 'darwin', arch: 'x64' })).toEqual([]);
    expect(findUnusedLibraries(packageFolder(['bin/linux-x64/onnxruntime_binding.node', 'bin/win32-x64/a.dll']), linux)).toEqual([]);
  });

  it('are not searched behind symbolic links', () => {
    const [folder, other] = [packageFolder(), packageFolder()];
    symlinkSync(join(other, 'bin', 'napi-v6', 'win32'), join(folder, 'bin', 'napi-v6', 'solaris'));
    symlinkSync(join(other, 'package.json'), join(folder, 'bin', 'napi-v6', 'win32', 'x64', 'linked.dll'));
    const linked = packageFolder(['package.json']);
    symlinkSync(join(other, 'bin'), join(linked, 'bin'));
    const linux = { platform: 'linux', arch: 'x64' };
    removeUnusedLibraries(folder, findUnusedLibraries(folder, linux));
    removeUnusedLibraries(linked, findUnusedLibraries(linked, linux));
    expect(filesIn(other)).toEqual(shipped);
  });

  it('stay in another folder that has hard links to them', () => {
    const [folder, other] = [packageFolder(), packageFolder([])];
    const library = 'bin/napi-v6/win32/x64/onnxruntime.dll';
    mkdirSync(other, { recursive: true });
    linkSync(join(folder, library), join(other, 'kept.dll'));
    const unusedLibraries = findUnusedLibraries(folder, { platform: 'linux', arch: 'x64' });
    expect(unusedLibraries.filter(({ linked }) => linked).map(({ path }) => path)).toEqual([join(folder, library)]);
    removeUnusedLibraries(folder, unusedLibraries);
    expect(existsSync(join(folder, library))).toBe(false);
    expect(readFileSync(join(other, 'kept.dll'), 'utf8')).toBe(library);
  });

  it('are returned with the reason if they cannot be removed', () => {
    const folder = packageFolder();
    const path = join(folder, 'bin', 'napi-v6', 'win32', 'x64');
    const [refused] = removeUnusedLibraries(folder, [{ path, bytes: 1, linked: false }]);
    expect(refused).toMatchObject({ path, why: { syscall: 'unlink' } });
  });

  it('are measured in megabytes', () => {
    expect(megabytesOf([{ bytes: 2 ** 20 * 200 }, { bytes: 2 ** 20 * 63.4 }])).toBe('263 MB');
    expect(megabytesOf([{ bytes: 2 ** 20 * 0.38 }])).toBe('0.4 MB');
  });
});
