import type { JsonObject, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { chunkRows, datumOf, distinct, lossOf, trains } from './datum.ts';

const row: TokenRow = {
  tokens: [10, 11, 12, 13, 14],
  mask: [0, 0, 1, 0, 1],
  weights: [9, 9, 0.5, 9, -2],
  advantages: [9, 9, 3, 9, -1],
  logprobs: [-9, -9, -1, -9, -2],
};

const tensor = (data: readonly number[], dtype: string) => ({ data, dtype, shape: [data.length] });

describe('Tinker datum', () => {
  it('shifts tokens by one and aligns the inputs of every target', () => {
    expect(datumOf(row, 'cross_entropy')).toEqual({
      model_input: { chunks: [{ type: 'encoded_text', tokens: [10, 11, 12, 13] }] },
      loss_fn_inputs: { target_tokens: tensor([11, 12, 13, 14], 'int64'), weights: tensor([0, 0.5, 0, -2], 'float32') },
    });
    for (const loss of ['importance_sampling', 'ppo'])
      expect(datumOf(row, loss)['loss_fn_inputs']).toEqual({
        target_tokens: tensor([11, 12, 13, 14], 'int64'),
        advantages: tensor([0, 3, 0, -1], 'float32'),
        logprobs: tensor([0, -1, 0, -2], 'float32'),
      });
  });

  it('weights every trained token as 1 by default', () => {
    const { loss_fn_inputs } = datumOf({ tokens: row.tokens, mask: row.mask }, 'cross_entropy');
    expect((loss_fn_inputs as JsonObject)['weights']).toEqual(tensor([0, 1, 0, 1], 'float32'));
  });

  it('weights tokens by a fractional mask', () => {
    const half = { ...row, mask: [0, 0, 0.5, 0, 0.5] };
    for (const loss of ['cross_entropy', 'importance_sampling', 'ppo']) {
      const name = loss === 'cross_entropy' ? 'weights' : 'advantages';
      const dataOf = (tokenRow: TokenRow) =>
        ((datumOf(tokenRow, loss)['loss_fn_inputs'] as JsonObject)[name] as { data: readonly number[] }).data;
      expect(dataOf(half)).toEqual(dataOf(row).map((value) => value / 2));
      const observation = { logprobs: [-7, -0.5, -7, -2.5], settings: {} };
      expect(lossOf(half, loss, observation)).toBeCloseTo(lossOf(row, loss, observation) / 2, 12);
    }
  });

  it('ignores values at masked tokens', () => {
    const odd = { ...row, advantages: [9, Number.NaN, 3, Number.POSITIVE_INFINITY, -1], logprobs: [0, Number.NaN, -1, -9, -2] };
    expect(datumOf(odd, 'ppo')).toEqual(datumOf(row, 'ppo'));
  });

  it('rejects rows that cannot be used for training', () => {
    expect(() => datumOf({ tokens: [1, 2], mask: [0, 1] }, 'ppo')).toThrow(/"ppo" needs advantages in every row/);
    expect(() => datumOf({ tokens: [1, 2], mask: [1] }, 'cross_entropy')).toThrow(/2 tokens but 1 mask/);
    expect(() => datumOf({ ...row, advantages: [0, 0, Number.NaN, 0, 0] }, 'ppo')).toThrow(
      /row contains NaN, which cannot be used for training\./,
    );
  });

  it('is sent only if it has a token to train on', () => {
    expect(trains(row)).toBe(true);
    expect(trains({ tokens: [1, 2], mask: [1, 0] })).toBe(false);
    expect(trains({ tokens: [1], mask: [1] })).toBe(false);
  });
});

describe('loss of one row', () => {
  // Targets 12 and 14 are now at −0.5 and −2.5: ratios e^0.5 = 1.6487 and e^−0.5 = 0.6065.
  const logprobs = [-7, -0.5, -7, -2.5];
  it.each([
    ['cross_entropy', {}, -(0.5 * -0.5 + -2 * -2.5)],
    ['importance_sampling', {}, -(3 * Math.exp(0.5) - Math.exp(-0.5))],
    // The gain is cut at 1.2 · 3; the loss is cut at 0.8 · −1, which is the lesser of the two.
    ['ppo', {}, -(3.6 - 0.8)],
    ['ppo', { clip_low_threshold: 0.5, clip_high_threshold: 1.5 }, -(4.5 - Math.exp(-0.5))],
  ])('matches the hand-computed %s %j', (loss, settings, wanted) => {
    expect(lossOf(row, loss, { logprobs, settings })).toBeCloseTo(wanted, 12);
  });
});

describe('chunks', () => {
  it('limit rows and tokens, keep the order, and give an oversized row a separate chunk', () => {
    const rows = [3, 3, 3, 9, 2, 2].map((length) => ({
      tokens: new Array<number>(length).fill(0),
      mask: new Array<number>(length).fill(1),
    }));
    const lengths = (most: { rows: number; tokens: number }) =>
      chunkRows(rows, most).map((chunk) => chunk.map(({ tokens }) => tokens.length));
    expect(lengths({ rows: 9, tokens: 6 })).toEqual([[3, 3], [3], [9], [2, 2]]);
    expect(lengths({ rows: 2, tokens: 99 })).toEqual([
      [3, 3],
      [3, 9],
      [2, 2],
    ]);
    expect(chunkRows([], { rows: 1, tokens: 1 })).toEqual([]);
  });
});

describe('published loss values', () => {
  const row = { tokens: [1, 2, 3, 4], mask: [0, 1, 1, 1], advantages: [0, 1, -0.5, 2], logprobs: [0, -0.7, -1, -0.9] };
  it.each([
    ['cross_entropy', {}, 1.8],
    ['importance_sampling', {}, -5.2631192],
    ['ppo', {}, -3.1906346],
    ['cispo', {}, 0.5645711],
    ['cispo', { clip_low_threshold: 0.8, clip_high_threshold: 1.2 }, 0.3487615],
    ['dro', { beta: 0.05 }, 0.118],
  ] as const)('match for %s %j', (loss, settings, value) => {
    expect(lossOf(row, loss, { logprobs: [-0.5, -1.2, -0.1], settings })).toBeCloseTo(value, 6);
  });
});

describe('rows with the same tokens', () => {
  it('are merged into one row with summed weights', () => {
    const rows = [
      { tokens: [1, 2, 3], mask: [0, 1, 0.5], weights: [0, 2, -1] },
      { tokens: [1, 2, 4], mask: [0, 1, 1] },
      { tokens: [1, 2, 3], mask: [0, 3, 0], weights: [0, -1, 7] },
    ];
    const { rows: tokenRows, which } = distinct(rows);
    expect(which).toEqual([0, 1, 0]);
    expect(tokenRows).toHaveLength(2);
    expect(tokenRows[0]?.mask).toEqual([0, 4, 0.5]);
    const logprobs = [
      [-1.5, -0.2],
      [-1.5, -3],
    ];
    const all = rows.reduce(
      (sum, item, i) => sum + lossOf(item, 'cross_entropy', { logprobs: logprobs[which[i]!] ?? [], settings: {} }),
      0,
    );
    const merged = tokenRows.reduce(
      (sum, tokenRow, i) => sum + lossOf(tokenRow, 'cross_entropy', { logprobs: logprobs[i] ?? [], settings: {} }),
      0,
    );
    expect(merged).toBeCloseTo(all, 12);
    const inputs = datumOf(tokenRows[0]!, 'cross_entropy', { kl: true })['loss_fn_inputs'] as Record<string, { data: number[] }>;
    expect(inputs['weights']?.data).toEqual([-1, -0.5]);
    expect(inputs['kl_weights']?.data).toEqual([4, 0.5]);
  });

  it('are not merged if only their hashes or prefixes match', () => {
    const hash = (token: number) => Math.imul(2 ^ token, 0x01000193);
    const [first, second] = [7, 8];
    // The second token undoes what the first one changed.
    const lists = [[first, 5], [second, 5 ^ hash(first) ^ hash(second)], [first, 5, 0], [first], [first, 5]];
    const { which } = distinct(lists.map((tokens) => ({ tokens, mask: tokens.map(() => 1) })));
    expect(which).toEqual([0, 1, 2, 3, 0]);
  });
});
