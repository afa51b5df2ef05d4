import { describe, expect, it } from 'vitest';
import { type Fact, states } from './facts.ts';
import { rng } from './index.ts';

const number = (value: number): Fact => ({ kind: 'number', value });
const date = (value: string): Fact => ({ kind: 'date', value });
const words = (value: string): Fact => ({ kind: 'words', value });

describe('facts', () => {
  it.each<[string, Fact, boolean]>([
    ['You get 1234.50 back.', number(1234.5), true],
    ['You get $1,234.50 back', number(1234.5), true],
    ['It is 1,234.5.', number(1234.5), true],
    ['The price is 10.', number(10), true],
    ['The price is 100.', number(10), false],
    ['The price is 10.50.', number(10), false],
    ['The price is 110', number(10), false],
    ['Order W-10 is yours.', number(10), false],
    ['It came on 2025-06-10.', number(10), false],
    ['It came on 2025-06-10.', number(2025), false],
    ['Item 10x is sold.', number(10), false],
    ['You get 12.34 back.', number(12.35), false],
    ['You get 5 € back, or 10%.', number(10), true],
    ['It came on 2025-06-09.', date('2025-06-09'), true],
    ['It came on June 9th, 2025.', date('2025-06-09'), true],
    ['It came on 9 June.', date('2025-06-09'), true],
    ['It came on the 9th of June 2025.', date('2025-06-09'), true],
    ['It came on Jun. 9.', date('2025-06-09'), true],
    ['It came on 6/9/2025.', date('2025-06-09'), true],
    ['It came on 9.6.2025.', date('2025-06-09'), true],
    ['It came on June 19.', date('2025-06-09'), false],
    ['It came on June 9, 2024.', date('2025-06-09'), false],
    ['It came on July 9.', date('2025-06-09'), false],
    ['Order W-2025-06-091', date('2025-06-09'), false],
    ['Your order has been  SHIPPED.', words('shipped'), true],
    ['Your order was reshipped.', words('shipped'), false],
    ['It is on its way to New-York!', words('new york'), true],
    ['anything', words(''), false],
  ])('compares "%s" with %j: %s', (text, fact, expected) => {
    expect(states(text, fact)).toBe(expected);
  });

  it('finds an amount in any notation, but not inside a longer number', () => {
    for (let seed = 0; seed < 2000; seed++) {
      const dice = rng(seed);
      const value = dice.int(10_000_000) / 100;
      const written = dice.pick([value.toFixed(2), `$${value.toFixed(2)}`, value.toLocaleString('en-US', { minimumFractionDigits: 2 })]);
      expect(states(`You pay ${written} in all.`, number(value)), written).toBe(true);
      expect(states(`You pay ${dice.int(9) + 1}${value.toFixed(2)} in all.`, number(value)), written).toBe(false);
      expect(states(`You pay ${value.toFixed(2)}${dice.int(9) + 1} in all.`, number(value)), written).toBe(false);
    }
  });
});
