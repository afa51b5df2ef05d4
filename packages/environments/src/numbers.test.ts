import { rng } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { formatNumber } from './numbers.ts';

const exact = (value: number) => String(Number(value.toPrecision(6)));

it('formatNumber matches exact rounding to six digits at every size and at halves', () => {
  const dice = rng(1, 'numbers');
  const odd = [0, -0, 1, -1, 0.5, 9.9999995, 0.99999951, 1e-4, 9.9999949e-5, 98.9999999, 99, 100, 1e6, 1e-6, 0.10000005, 0.5000005];
  const samples = Array.from({ length: 5000 }, () => (dice.next() * 2 - 1) * 10 ** (dice.next() * 14 - 8));
  const all = [...odd, ...samples].flatMap((value) => [3, 6, 7, 17].map((digits) => Number(value.toPrecision(digits))));
  expect(all.filter((value) => formatNumber(value) !== exact(value))).toEqual([]);
});
