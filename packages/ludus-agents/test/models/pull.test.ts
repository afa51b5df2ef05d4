/** @file Models from a hub: found by quantisation, downloaded with progress, continued after a break, checked, and then the usual ones. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { curatedModels, memoryOf } from '@ludus-agents/agents/internal/models/curated';
import { parseModelName } from '@ludus-agents/agents/internal/models/kinds';
import { findGguf, pulledModel, pullModel } from '@ludus-agents/agents/internal/models/local';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeHub, fakeHub } from '../../../../test/fixtures/fake-hub.ts';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const home = mkdtempSync(join(tmpdir(), 'ludus-pull-'));
afterAll(() => rmSync(home, { recursive: true }));
const bytes = Buffer.from(`GGUF${'0123456789'.repeat(30_000)}`);
let hub: FakeHub;
let env: { LUDUS_CACHE: string; HF_ENDPOINT: string };
beforeEach(async () => {
  hub = await fakeHub(bytes);
  env = { LUDUS_CACHE: mkdtempSync(join(home, 'cache-')), HF_ENDPOINT: hub.url };
});
afterEach(() => hub.close());
const onProgress = () => hub.breakOff();
const kept = () => readdirSync(join(env.LUDUS_CACHE, 'models')).toSorted();
const ranges = () => hub.seen.filter(({ url }) => url === '/cdn/blob').map(({ range }) => range);

describe('a model from the hub', () => {
  it('is found by its quantization and downloaded only once', async () => {
    const progress: [number, number | null][] = [];
    const { name, path } = await pullModel('hf:someone/tiny-GGUF:Q4_K_M', { env, onProgress: (...item) => progress.push(item) });
    expect(name).toBe('gguf:hf:someone/tiny-GGUF:Q4_K_M');
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(hub.seen.map(({ url }) => url)).toEqual([
      '/v2/someone/tiny-GGUF/manifests/Q4_K_M',
      '/someone/tiny-GGUF/resolve/main/deep/tiny-Q4_K_M.gguf',
      '/cdn/blob',
    ]);
    expect(await findGguf('hf:someone/tiny-GGUF:Q4_K_M', { env })).toBe(path);
    expect(hub.seen).toHaveLength(3);
    expect(pulledModel(env)).toBe(name);
    expect(parseModelName('hf:someone/tiny-GGUF:Q4_K_M')).toMatchObject({ place: 'gguf', rest: 'hf:someone/tiny-GGUF:Q4_K_M' });
    expect(kept().filter((file) => file !== 'index.json')).toHaveLength(1);
  });

  it('resumes an interrupted download completely', async () => {
    hub.breakAfter = 100_000;
    await expect(pullModel('qwen3-0.6b', { env, onProgress })).rejects.toThrow('the downloaded part is kept, so try again');
    expect(pulledModel(env)).toBeUndefined();
    const part = kept().find((file) => file.endsWith('.part')) as string;
    const come = statSync(join(env.LUDUS_CACHE, 'models', part)).size;
    expect(come).toBeGreaterThan(0);
    const { path } = await pullModel('qwen3-0.6b', { env });
    expect(ranges()).toEqual([undefined, `bytes=${come}-`]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(kept().filter((file) => /part|lock|tag/.test(file))).toEqual([]);
  });

  it('is downloaded from the start if the file has changed', async () => {
    hub.breakAfter = 100_000;
    await expect(pullModel('qwen3-0.6b', { env, onProgress })).rejects.toThrow('could not be downloaded');
    hub.bytes = Buffer.from(`GGUF${'x'.repeat(500_000)}`);
    const { path } = await pullModel('qwen3-0.6b', { env });
    expect(readFileSync(path).equals(hub.bytes)).toBe(true);
    expect(ranges().at(-1)).toBeUndefined();
  });

  it('is rejected and deleted if its bytes do not match the hub', async () => {
    hub.lies = true;
    await expect(pullModel('qwen3-0.6b', { env })).rejects.toThrow('. It is not the expected file.');
    expect(kept()).toEqual([]);
  });

  it('is only verified if it was complete when interrupted', async () => {
    const { path } = await pullModel('qwen3-0.6b', { env });
    renameSync(path, `${path}.part`);
    writeFileSync(`${path}.part.tag`, createHash('sha256').update(bytes).digest('hex'));
    rmSync(join(env.LUDUS_CACHE, 'models', 'index.json'));
    expect(readFileSync((await pullModel('qwen3-0.6b', { env })).path).equals(bytes)).toBe(true);
  });

  it('is requested with the token, which no other host receives', async () => {
    await expect(pullModel('hf:gated/tiny:Q4_K_M', { env })).rejects.toThrow('. Accept its license there and set HF_TOKEN.');
    await pullModel('hf:gated/tiny:Q4_K_M', { env: { ...env, HF_TOKEN: 'secret' } });
    const elsewhere = await fakeHub(bytes);
    await findGguf(`${elsewhere.url}/a/b/resolve/main/x.gguf`, { env: { ...env, HF_TOKEN: 'secret' } });
    await elsewhere.close();
    expect(elsewhere.seen.map(({ token }) => token)).toEqual([undefined, undefined]);
    expect(hub.seen.at(-1)?.token).toBe('Bearer secret');
  });

  it('is downloaded by one process at a time, ignoring the lock of a dead one', async () => {
    const [item, other] = await Promise.all([pullModel('qwen3-0.6b', { env }), pullModel('qwen3-0.6b', { env })]);
    expect(item).toEqual(other);
    expect(ranges()).toHaveLength(1);
    rmSync(item.path);
    writeFileSync(`${item.path}.lock`, String(process.ppid));
    await expect(pullModel('qwen3-0.6b', { env })).rejects.toThrow(`Process ${process.ppid} is already downloading this file`);
    writeFileSync(`${item.path}.lock`, '999999999');
    expect(await pullModel('qwen3-0.6b', { env })).toEqual(item);
  });

  it.each([
    ['hf:someone', '" is not a Hugging Face name. Use hf:user/repo:Q4_K_M'],
    ['hf:someone/tiny:IQ9', 'has no IQ9 of someone/tiny (HTTP 404)'],
    ['no-such-model', 'Use a path, a URL, or one of smollm2-360m'],
  ])('called %s is rejected with an explanation', async (name, speech) => {
    await expect(pullModel(name, { env })).rejects.toThrow(speech);
  });

  it('requires a valid hub address', async () => {
    await expect(pullModel('qwen3-0.6b', { env: { ...env, HF_ENDPOINT: 'mirror' } })).rejects.toThrow(
      'HF_ENDPOINT must be a URL such as https://hf-mirror.example, without',
    );
  });
});

describe('the curated list', () => {
  it('has a license, a size, and the required memory for each model', () => {
    for (const [name, model] of Object.entries(curatedModels)) {
      expect(name).toMatch(/^[a-z0-9.-]+$/);
      expect(model).toMatchObject({
        licence: 'Apache-2.0',
        file: expect.stringMatching(/\.gguf$/i),
        repo: expect.stringMatching(/^[\w-]+\/[\w.-]+$/),
      });
      expect(model.weights).toBeLessThanOrEqual(4);
      expect(memoryOf(model)).toBeGreaterThan(model.size);
    }
  });
});

describe('ludus models pull', () => {
  it('lists available models, downloads one, and reports progress', async () => {
    const here = folder();
    expect((await ludus(here, ['models', 'pull'], { env, columns: 140 })).out).toMatch(/qwen3-0\.6b +0\.6 B +0\.64 GB .*Apache-2\.0/);
    const { code, out, err } = await ludus(here, ['models', 'pull', 'qwen3-0.6b', '--json'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ name: 'gguf:qwen3-0.6b', path: expect.stringContaining('Qwen3-0.6B-Q8_0.gguf') });
    expect(err).toMatch(/0 of 0 MB/);
    expect(pulledModel(env)).toBe('gguf:qwen3-0.6b');
    expect((await ludus(here, ['models', 'pull', 'a', 'b'], { env })).err).toContain('one model at a time');
  });
});
