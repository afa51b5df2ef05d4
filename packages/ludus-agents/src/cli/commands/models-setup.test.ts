/** @file `ludus models setup`, and the offer to install what a command misses. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';
import { withRuntimeOffer } from './models/setup.ts';

describe('ludus models setup', () => {
  it('lists the runtimes', async () => {
    const { code, out } = await ludus(folder(), ['models', 'setup', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).map((row: { name: string }) => row.name)).toEqual(['llama', 'onnx', 'minilm']);
  });

  it('does not ask without a terminal, and then installs nothing', async () => {
    const { code, out } = await ludus(folder(), ['models', 'setup', 'llama', '--json'], { env: { PATH: '' } });
    expect([code, JSON.parse(out).code]).toEqual([2, 'E_CONFIRMATION_NEEDED']);
  });

  it('installs nothing after a no', async () => {
    const { code, err } = await ludus(folder(), ['models', 'setup', 'llama'], { tty: true, typed: 'n\n', env: { PATH: '' } });
    expect(code).toBe(1);
    expect(err).toContain('node-llama-cpp 3.22.1');
    expect(err).not.toContain('Installing');
  });

  it('starts npm after a yes, and reports if it is missing', async () => {
    const { code, err } = await ludus(folder(), ['models', 'setup', 'llama'], { tty: true, typed: 'y\n', env: { PATH: '/nowhere' } });
    expect(code).toBe(2);
    expect(err).toContain('Installing node-llama-cpp');
    expect(err).toContain('npm could not be started');
  });

  it('rejects an unknown runtime', async () => {
    const { out } = await ludus(folder(), ['models', 'setup', 'cuda', '--yes', '--json']);
    expect(JSON.parse(out).code).toBe('E_UNKNOWN_RUNTIME');
  });
});

describe('a command with a missing runtime', () => {
  const missing = new Fault('input', 'It needs onnxruntime-node.', { code: 'E_RUNTIME_MISSING', details: { runtime: 'onnx' } });

  it('fails with its code if it cannot ask', async () => {
    const terminal = { stdin: {}, stderr: {}, env: {} } as unknown as Parameters<typeof withRuntimeOffer>[0];
    await expect(withRuntimeOffer(terminal, false, () => Promise.reject(missing))).rejects.toBe(missing);
  });

  it('passes on other faults', async () => {
    const other = new Fault('input', 'Something else.');
    const terminal = { stdin: { isTTY: true }, stderr: { isTTY: true }, env: {} } as unknown as Parameters<typeof withRuntimeOffer>[0];
    await expect(withRuntimeOffer(terminal, false, () => Promise.reject(other))).rejects.toBe(other);
  });
});
