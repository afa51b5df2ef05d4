import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reachable } from './index.ts';

const text = (words: string) => {
  const bytes = Buffer.from(words);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
};
const kind = (type: number) => Buffer.from([type, 0, 0, 0]);

/** The head of a GGUF file without tensors. */
function header(facts: Readonly<Record<string, string | number>>): Buffer {
  const counts = Buffer.alloc(16);
  counts.writeBigUInt64LE(BigInt(Object.keys(facts).length), 8);
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const pairs = Object.entries(facts).flatMap(([key, value]) =>
    typeof value === 'string' ? [text(key), kind(8), text(value)] : [text(key), kind(4), number(value)],
  );
  return Buffer.concat([Buffer.from('GGUF'), number(3), counts, ...pairs]);
}

it('describes an adapter by the name used to load it, and a model by its path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-gguf-'));
  writeFileSync(join(folder, 'base.gguf'), header({ 'general.architecture': 'llama', 'llama.context_length': 2048 }));
  writeFileSync(join(folder, 'pupil.gguf'), header({ 'general.type': 'adapter', 'general.architecture': 'llama', 'adapter.type': 'lora' }));
  writeFileSync(join(folder, 'broken.gguf'), 'GGU');
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'below', 'deep.gguf'), 'GGU');
  const reaches = await reachable(undefined, { env: { HOME: folder, LUDUS_CACHE: folder, LUDUS_MODELS: folder } });
  const about = (name: string) => reaches.find((reach) => reach.name === name)?.about;
  expect(about(join(folder, 'base.gguf'))).toMatch(/^0\.0 GB, trained for 2048 tokens/);
  expect(about(`gguf:BASE.gguf+${join(folder, 'pupil.gguf')}`)).toMatch(/^an adapter of 0\.0 MB for a model of the family llama/);
  expect(about(join(folder, 'broken.gguf'))).toMatch(/^0\.0 GB/);
  expect(about(join(folder, 'pupil.gguf'))).toBeUndefined();
  // Of the working folder its own files are listed, and none below it.
  const empty = join(folder, 'empty');
  const here = await reachable(undefined, { env: { HOME: empty, LUDUS_CACHE: empty }, cwd: folder });
  const names = here.map(({ name }) => name).filter((name) => name.endsWith('.gguf'));
  expect(names).toEqual([join(folder, 'base.gguf'), join(folder, 'broken.gguf'), `gguf:BASE.gguf+${join(folder, 'pupil.gguf')}`]);
});
