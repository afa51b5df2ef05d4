/** @file Changed files of other formats: archives with cards and heads of GGUF models are read, or refused in a sentence. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { glanceAt, readSpecialTokens } from '@ludus-agents/agents/internal/models/gguf-header';
import { readGgufMetadata } from '@ludus-agents/agents/internal/models/gguf-metadata';
import { writeCharx } from '@ludus-agents/agents/internal/personas/exchange/charx';
import { importPersona } from '@ludus-agents/agents/internal/personas/exchange/detect';
import { isFault, rng } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, describe, expect, it } from 'vitest';
import { amount } from '../fixtures/amount.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const number = (value: number) => Buffer.from(new Uint32Array([value]).buffer);
const long = (value: number) => Buffer.from(new BigUint64Array([BigInt(value)]).buffer);
const text = (value: string) => Buffer.concat([long(value.length), Buffer.from(value)]);
const pair = (name: string, type: number, value: Buffer) => Buffer.concat([text(name), number(type), value]);
const tokens = Array.from({ length: 50 }, (_, i) => (i % 5 === 0 ? `<|mark${i}|>` : `word${i}`));
const list = (type: number, items: readonly Buffer[]) => Buffer.concat([number(type), long(items.length), ...items]);

const gguf = Buffer.concat([
  ...[Buffer.from('GGUF'), number(3), long(0), long(5)],
  pair('general.architecture', 8, text('llama')),
  pair('llama.context_length', 4, number(4096)),
  pair('tokenizer.ggml.tokens', 9, list(8, tokens.map(text))),
  pair(
    'tokenizer.ggml.token_type',
    9,
    list(
      5,
      tokens.map((_, i) => number(i % 5 === 0 ? 3 : 1)),
    ),
  ),
  pair('tokenizer.chat_template', 8, text('{{ messages }}')),
]);
const card = { spec: 'chara_card_v3', spec_version: '3.0', data: { name: 'Ann', description: 'A baker. '.repeat(30), first_mes: 'Hello' } };
const charx = writeCharx(card, [['assets/icon.png', new Uint8Array(300).fill(7)]]);

/** Changed bytes, cut ends, and parts that come twice. */
function change(bytes: Uint8Array, seed: number): Uint8Array {
  const dice = rng(seed, 'file');
  const changed = Buffer.from(bytes);
  for (let i = 0; i <= dice.int(6); i++) changed[dice.int(changed.length)] = dice.int(3) === 0 ? 255 : dice.int(256);
  if (dice.int(6) === 0) return changed.subarray(0, dice.int(changed.length));
  if (dice.int(6) > 0) return changed;
  const at = dice.int(changed.length);
  return Buffer.concat([changed.subarray(0, at), changed.subarray(dice.int(at + 1))]);
}

const kinds: Readonly<Record<string, readonly [Uint8Array, (bytes: Uint8Array) => unknown]>> = {
  CHARX: [charx, (bytes) => importPersona(bytes)],
  GGUF: [
    gguf,
    async (bytes) => {
      const path = join(folder, 'it.gguf');
      writeFileSync(path, bytes);
      const glance = await glanceAt(path);
      return [glance, await readSpecialTokens(path), readGgufMetadata(path)];
    },
  ],
};

describe.each(Object.entries(kinds))('a corrupted %s file', (_, [sound, read]) => {
  it('is read or rejected with an error message', async () => {
    await read(sound);
    const tally = { read: 0, refused: 0 };
    for (let seed = 0; seed < amount(80, 10_000); seed++) {
      try {
        await read(change(sound, seed));
        tally.read++;
      } catch (thrown) {
        expect([seed, isFault(thrown), String(thrown)]).toEqual([seed, true, String(thrown)]);
        tally.refused++;
      }
    }
    expect(tally.read).toBeGreaterThan(0);
    expect(tally.refused).toBeGreaterThan(0);
  });
});
