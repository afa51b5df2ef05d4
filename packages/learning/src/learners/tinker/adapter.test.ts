import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGgufMetadata } from '@ludus-agents/agents/internal/models/gguf-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSafetensors } from '../transformer/safetensors.ts';
import { fetchAdapter } from './adapter.ts';
import { ggufAdapterOf, pairedRows } from './adapter-gguf.ts';
import { peftConfigOf } from './adapter-peft.ts';

const matrix = (rows: number, columns: number, first = 0) => ({
  shape: [rows, columns],
  data: Float32Array.from({ length: rows * columns }, (_, i) => first + i),
});
const prefix = 'base_model.model.model.layers.0.self_attn';
const tensors = {
  [`${prefix}.q_proj.lora_A.weight`]: matrix(2, 8),
  [`${prefix}.q_proj.lora_B.weight`]: matrix(16, 2),
  [`${prefix}.v_proj.lora_B.weight`]: matrix(8, 2, 100),
};
const metadata = { format: 'pt', family: 'llama', heads: '2', kv_heads: '1', alpha: '32.0' };
const saved = writeSafetensors({ tensors, metadata });
const folder = mkdtempSync(join(tmpdir(), 'adapter-'));
const never = new AbortController().signal;
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const known = request.url === '/api/v1/adapter?path=tinker%3A%2F%2Fm%2Fweights%2Fa' && request.headers['x-api-key'] === 'key';
    if (known) response.end(saved);
    else response.writeHead(404).end('{"detail":"Checkpoint not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

describe('GGUF adapter', () => {
  it('pairs the rows of queries and keys within each head', () => {
    const rows = (heads: number) => Array.from(pairedRows(matrix(16, 1), heads).data);
    expect(rows(2)).toEqual([0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]);
    expect(rows(1)).toEqual([0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]);
  });

  it('has correct metadata and places every number where its table says', () => {
    const bytes = Buffer.from(ggufAdapterOf(saved));
    const file = join(folder, 'a.gguf');
    writeFileSync(file, bytes);
    expect(readGgufMetadata(file)).toEqual({
      'general.type': 'adapter',
      'general.architecture': 'llama',
      'adapter.type': 'lora',
      'adapter.lora.alpha': 32,
    });
    // From the end: 16 numbers of values, 32 of queries as pairs, 16 of the lower half; each begins at a multiple of 32 bytes.
    const numbers = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => bytes.readFloatLE(bytes.length - from + 4 * i));
    expect(numbers(64, 16)).toEqual(Array.from(matrix(8, 2, 100).data));
    expect(numbers(64 + 128, 6)).toEqual([0, 1, 8, 9, 2, 3]);
    expect(numbers(64 + 128 + 64, 16)).toEqual(Array.from(matrix(2, 8).data));
    expect(bytes.length % 32).toBe(0);
    expect(bytes.includes('blk.0.attn_q.weight.lora_b')).toBe(true);
  });

  it('keeps the row order for families that store rows in halves', () => {
    const other = Buffer.from(ggufAdapterOf(writeSafetensors({ tensors, metadata: { ...metadata, family: 'qwen2' } })));
    expect(other.readFloatLE(other.length - 64 - 128 + 8)).toBe(2);
  });

  it('has a PEFT configuration that records the prompt settings', () => {
    const form = { version: 1, settings: { prompt: 'view', temperature: 1, maxTokens: 8 } };
    const safetensors = writeSafetensors({ tensors, metadata: { ...metadata, base: 'tiny', ludus: JSON.stringify(form) } });
    expect(peftConfigOf(safetensors)).toMatchObject({
      r: 2,
      lora_alpha: 32,
      target_modules: ['q_proj'],
      base_model_name_or_path: 'tiny',
      ludus: form,
    });
    expect(peftConfigOf(saved)).not.toHaveProperty('ludus');
    expect(() => peftConfigOf(writeSafetensors({ tensors: {}, metadata }))).toThrow(/no low-rank weights/);
    const file = join(folder, 'told.gguf');
    writeFileSync(file, ggufAdapterOf(safetensors));
    expect(JSON.parse(readGgufMetadata(file)['ludus.prompt'] as string)).toEqual(form);
  });

  it('is downloaded from the server that saved it, or fails', async () => {
    const checkpoint = JSON.stringify({ weights: 'tinker://m/weights/a', reference: null });
    const options = { url, env: { TINKER_API_KEY: 'key' } };
    expect(Buffer.from(await fetchAdapter(options, checkpoint, { file: 'x.safetensors', signal: never })).equals(saved)).toBe(true);
    expect((await fetchAdapter(options, 'tinker://m/weights/a', { file: 'x.gguf', signal: never })).subarray(0, 4)).toEqual(
      Buffer.from('GGUF'),
    );
    await expect(fetchAdapter(options, 'tinker://m/weights/b', { file: 'x.gguf', signal: never })).rejects.toThrow(/Checkpoint not found/);
    await expect(fetchAdapter(options, checkpoint, { file: 'x.bin', signal: never })).rejects.toThrow(/" has another extension\./);
    const bare = writeSafetensors({ tensors, metadata: {} });
    expect(() => ggufAdapterOf(bare)).toThrow(/The adapter does not name the family of its/);
  });
});
