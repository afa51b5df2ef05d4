/** @file `ludus doctor` looks around; `ludus doctor trim` shows first, removes when told to, and says what it could not. */

import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const other = process.platform === 'win32' ? 'linux' : 'win32';

/** A project whose onnxruntime-node has libraries of this machine and of another. */
function project(): string {
  const here = realpathSync(folder());
  for (const platform of [process.platform, other]) {
    const path = join(here, 'onnxruntime-node', 'bin', 'napi-v6', platform, process.arch);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'onnxruntime_binding.node'), 'x'.repeat(2 ** 20));
  }
  writeFileSync(join(here, 'onnxruntime-node', 'package.json'), '{}');
  return here;
}

const platforms = (here: string) => readdirSync(join(here, 'onnxruntime-node', 'bin', 'napi-v6'));

describe('ludus doctor', () => {
  it('runs its checks without further arguments', async () => {
    const { code, out } = await ludus(folder(), ['doctor']);
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ node /);
    expect(out).toMatch(/onnxruntime-node +installed/);
  });
});

describe('a settings folder that cannot be created', () => {
  // Node's own recursive making of folders does not return there.
  const env = { LUDUS_HOME: '/proc/none/ludus' };

  it('is reported by ludus doctor', async () => {
    const { out } = await ludus(folder(), ['doctor'], { env });
    expect(out).toContain('/proc/none/ludus cannot be written: nothing can be allowed; set LUDUS_HOME to a folder of yours');
  });

  it('is rejected by ludus config allow', async () => {
    const { code, err } = await ludus(folder(), ['config', 'allow', 'http://localhost:8000'], { env });
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be created: /proc')]);
  });
});

describe('ludus doctor trim', () => {
  it('shows the files to remove, and removes nothing without confirmation', async () => {
    const here = project();
    const { code, out } = await ludus(here, ['doctor', 'trim', 'onnxruntime-node']);
    expect(code).toBe(0);
    expect(out).toContain(`1.0 MB in ${join(here, 'onnxruntime-node')} are for other platforms than ${process.platform} ${process.arch}`);
    expect(out).toContain(`1.0 MB  bin/napi-v6/${other}/${process.arch}/onnxruntime_binding.node`);
    expect(out).toContain('Nothing was removed. Pass --yes to remove them.');
    expect(platforms(here)).toHaveLength(2);
  });

  it('removes files with --yes or a yes, and then finds nothing more', async () => {
    for (const [words, setting] of [[['--yes'], {}] as const, [[], { tty: true, typed: 'y\n' }] as const]) {
      const here = project();
      const { code, out } = await ludus(here, ['doctor', 'trim', 'onnxruntime-node', ...words], setting);
      expect(code).toBe(0);
      expect(out).toContain('1.0 MB removed.');
      expect(platforms(here)).toEqual([process.platform]);
      const again = await ludus(here, ['doctor', 'trim', 'onnxruntime-node', '--yes']);
      expect(again.out).toBe(`${join(here, 'onnxruntime-node')} has only what ${process.platform} ${process.arch} needs.\n`);
    }
  });

  it('removes nothing after a no', async () => {
    const here = project();
    await ludus(here, ['doctor', 'trim', 'onnxruntime-node'], { tty: true, typed: 'n\n' });
    expect(platforms(here)).toHaveLength(2);
  });

  it('prints the files and removals as JSON', async () => {
    const here = project();
    const path = join(here, 'onnxruntime-node', 'bin', 'napi-v6', other, process.arch, 'onnxruntime_binding.node');
    const shown = JSON.parse((await ludus(here, ['doctor', 'trim', 'onnxruntime-node', '--json'])).out);
    expect(shown).toEqual({ folder: join(here, 'onnxruntime-node'), unused: [{ path, bytes: 2 ** 20, linked: false }], removed: [] });
    const done = JSON.parse((await ludus(here, ['doctor', 'trim', 'onnxruntime-node', '--json', '--yes'])).out);
    expect(done).toEqual({ ...shown, removed: [path] });
  });

  it('rejects other folders', async () => {
    const { code, err } = await ludus(folder(), ['doctor', 'trim', '.']);
    expect(code).toBe(2);
    expect(err).toContain('✗ onnxruntime-node is not a folder of');
  });
});
