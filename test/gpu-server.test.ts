/** @file The training server in python/ludus_gpu, run on a CPU with a tiny random model: its own tests, and our client against it. Where Python has no PyTorch, these are skipped. */

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { Tinker } from '@ludus-agents/learning/internal/learners/tinker/learner';
import { learnerOn, rowsOf } from '@ludus-agents/learning/internal/learners/tinker/tinker.cases';
import { afterAll, describe, expect, it } from 'vitest';

const python = process.env['LUDUS_PYTHON'] ?? 'python3';
const spawnSyncReturns = spawnSync(python, ['-c', 'import torch, numpy, safetensors'], { encoding: 'utf8' });
const missing = spawnSyncReturns.status !== 0;
if (missing) console.log(`Skipped: ${python} has no torch, numpy and safetensors; LUDUS_PYTHON names another Python.`);
const here = join(import.meta.dirname, '../python/ludus_gpu');
const folder = mkdtempSync(join(tmpdir(), 'gpu-'));
let server: ChildProcess | undefined;

afterAll(() => {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** The server on a port of its own choice, once it says which. */
async function start(): Promise<string> {
  const make = `from pathlib import Path; from ludus_gpu.tiny import write_tiny; write_tiny(Path(${JSON.stringify(join(folder, 'tiny'))}))`;
  await promisify(execFile)(python, ['-c', make], { cwd: here });
  const args = ['-m', 'ludus_gpu.server', '--open', '--model', join(folder, 'tiny'), '--port', '0', '--state', join(folder, 'state')];
  server = spawn(python, [...args, '--device', 'cpu'], { cwd: here, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    server?.stdout?.once('data', (data: Buffer) => resolve(String(data)));
    server?.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return line.match(/http:\S+/)?.[0] ?? line;
}

const hasPython = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;

it.skipIf(!hasPython)('the training server rejects requests without its key before reading large bodies', async () => {
  const { stderr } = await promisify(execFile)(python, ['-B', '-m', 'unittest', 'discover', '-q', '-s', 'tests', '-p', 'test_access.py'], {
    cwd: here,
  });
  expect(stderr).toMatch(/OK\s*$/);
});

describe.skipIf(missing)('the training server', () => {
  it('passes its own tests', async () => {
    const args = ['-W', 'ignore', '-m', 'unittest', 'discover', '-q', '-s', 'tests'];
    const { stderr } = await promisify(execFile)(python, args, { cwd: here });
    expect(stderr).toMatch(/OK( \(skipped=\d+\))?\s*$/);
  });

  it('trains on data from the client, with a pull toward a moving reference', async () => {
    const learner: Tinker = learnerOn(await start(), { baseModel: 'tiny', rank: 4, seconds: 120 });
    const rows = rowsOf(rng(3), 4);
    const base = await learner.logprobs(rows);
    expect(await learner.logprobs(rows, 'reference')).toEqual(base);
    const first = await learner.step(rows, 'cross_entropy', { rate: 0.01, kl: 0.5, clip: 1 });
    expect(first['kl']).toBeCloseTo(0, 6);
    const second = await learner.step(rows, 'cross_entropy', { rate: 0.01, kl: 0.5, clip: 1 });
    expect(second['loss']).toBeLessThan(first['loss']!);
    expect(second['kl']).toBeGreaterThan(0);
    await learner.refer(0.5);
    await learner.refer();
    const now = await learner.logprobs(rows);
    expect(now).not.toEqual(base);
    expect(await learner.logprobs(rows, 'reference')).toEqual(now);
    for (const loss of ['importance_sampling', 'ppo', 'cispo', 'dro']) {
      const observation = await learner.forwardBackward(rows, loss);
      // The server's own sum is the one that is defined here: the same loss in two languages.
      expect(observation['loss:sum']).toBeCloseTo(observation['loss']!, 3);
    }
    const saved = await learner.save();
    await learner.load(saved);
    expect(await learner.logprobs(rows)).toEqual(now);
    const call = await learner.complete(
      { messages: [{ role: 'user', content: 'hi' }] },
      { seed: 1, maxTokens: 5 },
      new AbortController().signal,
    );
    const tokens = [...(call.promptTokenIds ?? []), ...(call.tokenIds ?? [])];
    const [read] = await learner.logprobs([{ tokens, mask: tokens.map(() => 1) }]);
    call.logprobs?.forEach((value, i) => {
      expect(Array.from(read as ArrayLike<number>)[(call.promptTokenIds?.length ?? 0) + i]).toBeCloseTo(value, 4);
    });
    await learner.close();
  });
});
