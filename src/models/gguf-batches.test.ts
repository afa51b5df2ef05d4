import { expect, it } from 'vitest';
import { rng } from '../core/index.ts';
import { inFours } from './gguf-batches.ts';

const waiting = (...lengths: number[]) => lengths.map((length, id) => ({ id, tokens: new Array<number>(length).fill(0) }));
const amounts = (lengths: readonly number[], size = 512) =>
  inFours({ items: waiting(...lengths), size }).map(({ item, processAmount }) => [item.id, processAmount]);

it('takes writing calls four at a time, the first to come first, and all of them where there are fewer', () => {
  const ones = (many: number) => amounts(new Array<number>(many).fill(1)).length;
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map(ones)).toEqual([1, 2, 3, 4, 4, 4, 4, 8, 8]);
  expect(amounts([1, 1, 1, 1, 1, 1, 1]).map(([id]) => id)).toEqual([0, 1, 2, 3]);
});

it('lets a prompt be read whole, and fills its pass up with calls that write', () => {
  expect(amounts([141])).toEqual([[0, 141]]);
  expect(amounts([1, 141, 1, 1])).toEqual([
    [0, 1],
    [1, 141],
    [2, 1],
    [3, 1],
  ]);
  expect(amounts([1, 142, 1, 1])).toEqual([
    [0, 1],
    [1, 142],
    [2, 1],
  ]);
});

it('never takes more than there is room for or than is asked, never nothing, and comes to an end', () => {
  const dice = rng(1, 'batches');
  for (let round = 0; round < 300; round++) {
    const size = 8 + dice.int(120);
    let left = waiting(...Array.from({ length: 1 + dice.int(12) }, () => (dice.next() < 0.6 ? 1 : 1 + dice.int(200))));
    for (let pass = 0; left.length > 0; pass++) {
      expect(pass).toBeLessThan(400);
      const shares = inFours({ items: left, size });
      const all = shares.reduce((sum, { processAmount }) => sum + processAmount, 0);
      expect(all).toBeGreaterThan(0);
      expect(all).toBeLessThanOrEqual(size);
      const taken = new Map(shares.map(({ item, processAmount }) => [item.id, processAmount]));
      for (const { item, processAmount } of shares) expect(processAmount).toBeLessThanOrEqual(item.tokens.length);
      left = left.map((one) => ({ ...one, tokens: one.tokens.slice(taken.get(one.id) ?? 0) })).filter(({ tokens }) => tokens.length > 0);
    }
  }
});
