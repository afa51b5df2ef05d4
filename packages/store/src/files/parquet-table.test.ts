/** @file Parquet files that are damaged are refused, and never stop the process. */

import { isFault, rng } from '@ludus-agents/kernel/internal/core/index';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { ParquetReader } from './parquet-table.ts';

const rows = 200;
const each = <T>(make: (i: number) => T): T[] => Array.from({ length: rows }, (_, i) => make(i));
const sound = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'name', data: each((i) => `person ${i % 17}`), type: 'STRING' },
      { name: 'age', data: Int32Array.from(each((i) => i % 90)), type: 'INT32' },
      { name: 'weight', data: Float64Array.from(each((i) => i / 3)), type: 'DOUBLE' },
      { name: 'asked', data: each((i) => (i % 3 === 0 ? null : i % 2 === 0)), type: 'BOOLEAN' },
      { name: 'big', data: each((i) => BigInt(i)), type: 'INT64' },
    ],
  }),
);

const reader = new ParquetReader();
afterAll(() => reader.close());

describe('a Parquet file', () => {
  it('is read as a table of strings', async () => {
    const { columns, rows: read } = await reader.read(sound, 'it');
    expect(columns).toEqual(['name', 'age', 'weight', 'asked', 'big']);
    expect(read).toHaveLength(rows);
    expect(read[1]).toEqual(['person 1', '1', String(1 / 3), 'false', '1']);
  });

  it('returns lists and objects as JSON if allowed', async () => {
    const messages = [[{ role: 'user', content: 'Hi', at: 1 }], [{ role: 'user', content: 'Bye', at: 2 }]];
    const nested = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'messages', data: messages, type: 'JSON' }] }));
    expect((await reader.read(nested, 'it', true)).rows.map(([cell]) => JSON.parse(cell!))).toEqual(messages);
    await expect(reader.read(nested, 'it')).rejects.toThrow('is a list or an object');
  });

  it('is rejected before decoding if a column lies outside of the file', async () => {
    const bytes = sound.slice(0);
    await expect(reader.read(Buffer.concat([bytes.subarray(0, 4), bytes.subarray(400)]), 'it')).rejects.toThrow(
      'cannot be read as Parquet',
    );
  });

  it('with corrupted bytes is read or rejected with an error, and the next file is read', async () => {
    const tally = { read: 0, refused: 0 };
    for (let seed = 0; seed < amount(20, 10_000); seed++) {
      const dice = rng(seed, 'parquet');
      const changed = sound.slice();
      for (let i = 0; i <= dice.int(8); i++) changed[dice.int(changed.length)] = dice.int(256);
      try {
        await reader.read(changed, 'it');
        tally.read++;
      } catch (thrown) {
        expect([seed, isFault(thrown)]).toEqual([seed, true]);
        tally.refused++;
      }
    }
    expect(tally.read).toBeGreaterThan(0);
    expect(tally.refused).toBeGreaterThan(0);
    expect((await reader.read(sound, 'it')).rows).toHaveLength(rows);
  });
});
