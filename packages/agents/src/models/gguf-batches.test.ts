import { rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { inFours, priorityOf } from './gguf-batches.ts';

const call = (place: number, length = 1) => ({ place, tokens: new Array<number>(length).fill(0), evaluationPriority: priorityOf(place) });
const places = (...waiting: number[]) => inFours({ items: waiting.map((place) => call(place)), size: 512 }).map(({ item }) => item.place);

it('batches generating calls in aligned groups of four by sequence', () => {
  expect(places(3, 2, 1, 0)).toEqual([0, 1, 2, 3]);
  expect(places(7, 6, 5, 4, 3, 2, 1, 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  // One is late: the full four goes, and the others wait for it.
  expect(places(6, 0, 2, 7, 4, 5, 1)).toEqual([4, 5, 6, 7]);
  expect(places(2, 0, 5)).toEqual([0, 2, 5]);
  expect(places(6, 1, 4, 3, 2)).toEqual([1, 2, 3, 4, 6]);
});

it('keeps prompts and unrelated calls unchanged and in order', () => {
  const prompt = call(2, 141);
  const other = { place: -1, tokens: [0], evaluationPriority: 5 };
  expect(inFours({ items: [prompt, call(1), other], size: 512 }).map(({ item, processAmount }) => [item.place, processAmount])).toEqual([
    [-1, 1],
    [1, 1],
    [2, 141],
  ]);
  expect(inFours({ items: [0, 1, 2, 3].map(() => other), size: 512 })).toHaveLength(4);
});

it('never exceeds the batch size or the request, always makes progress, and terminates', () => {
  const dice = rng(1, 'batches');
  for (let round = 0; round < 60; round++) {
    const size = 8 + dice.int(120);
    let left = Array.from({ length: 1 + dice.int(12) }, (_, place) => call(place, dice.next() < 0.6 ? 1 : 1 + dice.int(200)));
    while (left.length > 0) {
      const shares = inFours({ items: left, size });
      const all = shares.reduce((sum, { processAmount }) => sum + processAmount, 0);
      expect(all > 0 && all <= size && shares.every(({ item, processAmount }) => processAmount <= item.tokens.length)).toBe(true);
      const used = new Map(shares.map(({ item, processAmount }) => [item.place, processAmount]));
      left = left
        .map((item) => ({ ...item, tokens: item.tokens.slice(used.get(item.place) ?? 0) }))
        .filter(({ tokens }) => tokens.length > 0);
    }
  }
});
