/** @file Small repositories with tests, in the subset of JavaScript and TypeScript that the interpreter runs. */

export type Repository = {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly tests: Readonly<Record<string, string>>;
};

const lists: Repository = {
  name: 'lists',
  files: {
    'lists.js': `export function sum(list) {
  let total = 0;
  for (const one of list) total += one;
  return total;
}
export function average(list) {
  if (list.length === 0) return 0;
  return sum(list) / list.length;
}
export function largest(list) {
  let best = list[0];
  for (let i = 1; i < list.length; i++) if (list[i] > best) best = list[i];
  return best;
}
export function chunks(list, size) {
  const out = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}
export function between(list, low, high) {
  return list.filter((one) => one >= low && one <= high);
}
`,
  },
  tests: {
    'lists.test.js': `import { test, expect } from 'test';
import { sum, average, largest, chunks, between } from './lists.js';
test('sum adds all', () => { expect(sum([1, 2, 3])).toBe(6); expect(sum([])).toBe(0); });
test('average of none is 0', () => { expect(average([])).toBe(0); expect(average([2, 4])).toBe(3); expect(average([5])).toBe(5); });
test('largest may stand anywhere', () => { expect(largest([3, 9, 4])).toBe(9); expect(largest([7, 1])).toBe(7); expect(largest([1, 2, 8])).toBe(8); });
test('chunks keep the rest', () => { expect(chunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]); expect(chunks([1, 2], 2)).toEqual([[1, 2]]); });
test('between has both ends', () => { expect(between([1, 2, 3, 4, 5], 2, 4)).toEqual([2, 3, 4]); });
`,
  },
};

const texts: Repository = {
  name: 'texts',
  files: {
    'texts.js': `export function countWords(text) {
  return text.split(' ').filter((word) => word.length > 0).length;
}
export function isPalindrome(text) {
  const plain = text.toLowerCase().split(' ').join('');
  for (let i = 0; i < plain.length / 2; i++) {
    if (plain[i] !== plain[plain.length - 1 - i]) return false;
  }
  return true;
}
export function shorten(text, most) {
  if (text.length <= most) return text;
  return text.slice(0, most - 1) + '.';
}
export function initials(name) {
  return name.split(' ').map((part) => part[0].toUpperCase()).join('');
}
`,
  },
  tests: {
    'texts.test.js': `import { test, expect } from 'test';
import { countWords, isPalindrome, shorten, initials } from './texts.js';
test('counts words', () => { expect(countWords('a  b c')).toBe(3); expect(countWords('')).toBe(0); });
test('palindromes', () => { expect(isPalindrome('Never odd or even')).toBe(true); expect(isPalindrome('abca')).toBe(false); expect(isPalindrome('ab')).toBe(false); });
test('shortens', () => { expect(shorten('abcdef', 4)).toBe('abc.'); expect(shorten('abcd', 4)).toBe('abcd'); });
test('initials', () => { expect(initials('ada lovelace')).toBe('AL'); });
`,
  },
};

const bank: Repository = {
  name: 'bank',
  files: {
    'account.js': `export function open(owner, limit) {
  return { owner, balance: 0, limit };
}
export function deposit(account, amount) {
  if (amount <= 0) throw new Error('An amount is above 0.');
  account.balance = account.balance + amount;
  return account.balance;
}
export function withdraw(account, amount) {
  if (account.balance - amount < 0 - account.limit) throw new Error('There is not enough.');
  account.balance = account.balance - amount;
  return account.balance;
}
`,
    'transfer.js': `import { deposit, withdraw } from './account.js';
export function transfer(from, to, amount, fee) {
  withdraw(from, amount + fee);
  deposit(to, amount);
  return from.balance + to.balance;
}
`,
  },
  tests: {
    'bank.test.js': `import { test, expect } from 'test';
import { open, deposit, withdraw } from './account.js';
import { transfer } from './transfer.js';
test('a deposit adds', () => { const a = open('x', 0); deposit(a, 5); expect(deposit(a, 2)).toBe(7); });
test('nothing cannot be deposited', () => { const a = open('x', 0); expect(() => deposit(a, 0)).toThrow(); });
test('the limit holds', () => { const a = open('x', 10); deposit(a, 5); expect(withdraw(a, 15)).toBe(-10); expect(() => withdraw(a, 1)).toThrow(); });
test('a transfer pays its fee', () => { const a = open('x', 0); const b = open('y', 0); deposit(a, 20); expect(transfer(a, b, 10, 1)).toBe(19); expect(b.balance).toBe(10); expect(a.balance).toBe(9); });
`,
  },
};

const calendar: Repository = {
  name: 'calendar',
  files: {
    'calendar.ts': `export function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
export function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
export function dayOfYear(day: number, month: number, year: number): number {
  let days = day;
  for (let m = 1; m < month; m++) days += daysIn(m, year);
  return days;
}
`,
  },
  tests: {
    'calendar.test.ts': `import { test, expect } from 'test';
import { isLeap, daysIn, dayOfYear } from './calendar.ts';
test('leap years', () => { expect([1900, 2000, 2023, 2024].map(isLeap)).toEqual([false, true, false, true]); });
test('days of months', () => { expect([1, 2, 4, 12].map((m) => daysIn(m, 2023))).toEqual([31, 28, 30, 31]); expect(daysIn(2, 2024)).toBe(29); expect([6, 9, 11].map((m) => daysIn(m, 2023))).toEqual([30, 30, 30]); });
test('day of the year', () => { expect(dayOfYear(1, 1, 2023)).toBe(1); expect(dayOfYear(1, 3, 2023)).toBe(60); expect(dayOfYear(31, 12, 2024)).toBe(366); });
`,
  },
};

const queue: Repository = {
  name: 'queue',
  files: {
    'heap.js': `export function push(heap, item) {
  heap.push(item);
  let at = heap.length - 1;
  while (at > 0) {
    const up = Math.floor((at - 1) / 2);
    if (heap[up] <= heap[at]) break;
    const held = heap[up];
    heap[up] = heap[at];
    heap[at] = held;
    at = up;
  }
  return heap;
}
export function pop(heap) {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0) return top;
  heap[0] = last;
  let at = 0;
  while (2 * at + 1 < heap.length) {
    let down = 2 * at + 1;
    if (down + 1 < heap.length && heap[down + 1] < heap[down]) down = down + 1;
    if (heap[at] <= heap[down]) break;
    const held = heap[at];
    heap[at] = heap[down];
    heap[down] = held;
    at = down;
  }
  return top;
}
`,
    'sorted.js': `import { push, pop } from './heap.js';
export function sorted(list) {
  const heap = [];
  for (const one of list) push(heap, one);
  const out = [];
  while (heap.length > 0) out.push(pop(heap));
  return out;
}
`,
  },
  tests: {
    'queue.test.js': `import { test, expect } from 'test';
import { push, pop } from './heap.js';
import { sorted } from './sorted.js';
test('the smallest comes first', () => { const heap = []; push(heap, 5); push(heap, 2); push(heap, 8); expect(pop(heap)).toBe(2); expect(pop(heap)).toBe(5); });
test('sorts', () => { expect(sorted([5, 3, 9, 1, 7, 2, 8])).toEqual([1, 2, 3, 5, 7, 8, 9]); });
test('sorts what is equal', () => { expect(sorted([2, 1, 2])).toEqual([1, 2, 2]); expect(sorted([])).toEqual([]); });
test('sorts backwards lists', () => { expect(sorted([6, 5, 4, 3, 2, 1])).toEqual([1, 2, 3, 4, 5, 6]); });
`,
  },
};

export const repositories: readonly Repository[] = [lists, texts, bank, calendar, queue];

/** Correct but slow programs, each with an equally correct, faster version. */
export type SlowProgram = Repository & { readonly benchmark: string; readonly faster: Readonly<Record<string, string>> };

const primes: SlowProgram = {
  name: 'primes',
  files: {
    'primes.js': `export function primes(limit) {
  const out = [];
  for (let n = 2; n <= limit; n++) {
    let divisors = 0;
    for (let d = 1; d <= n; d++) if (n % d === 0) divisors += 1;
    if (divisors === 2) out.push(n);
  }
  return out;
}
`,
  },
  tests: {
    'primes.test.js': `import { test, expect } from 'test';
import { primes } from './primes.js';
test('primes', () => { expect(primes(20)).toEqual([2, 3, 5, 7, 11, 13, 17, 19]); expect(primes(1)).toEqual([]); expect(primes(49).length).toBe(15); });
`,
  },
  benchmark: "import { primes } from './primes.js';\nprimes(120).length;",
  faster: {
    'primes.js': `export function primes(limit) {
  const out = [];
  for (let n = 2; n <= limit; n++) {
    let prime = true;
    for (let i = 0; i < out.length && out[i] * out[i] <= n; i++) if (n % out[i] === 0) { prime = false; break; }
    if (prime) out.push(n);
  }
  return out;
}
`,
  },
};

const pairs: SlowProgram = {
  name: 'pairs',
  files: {
    'pairs.js': `export function countPairs(list, wanted) {
  let count = 0;
  for (let i = 0; i < list.length; i++) {
    for (let j = i + 1; j < list.length; j++) {
      if (list[i] + list[j] === wanted) count += 1;
    }
  }
  return count;
}
`,
  },
  tests: {
    'pairs.test.js': `import { test, expect } from 'test';
import { countPairs } from './pairs.js';
test('counts pairs', () => { expect(countPairs([1, 2, 3, 4], 5)).toBe(2); expect(countPairs([2, 2, 2], 4)).toBe(3); expect(countPairs([], 1)).toBe(0); expect(countPairs([5], 10)).toBe(0); });
`,
  },
  benchmark:
    "import { countPairs } from './pairs.js';\nconst list = [];\nfor (let i = 0; i < 60; i++) list.push((i * 7) % 31);\ncountPairs(list, 30);",
  faster: {
    'pairs.js': `export function countPairs(list, wanted) {
  const seen = {};
  let count = 0;
  for (const one of list) {
    count += seen['n' + (wanted - one)] ?? 0;
    seen['n' + one] = (seen['n' + one] ?? 0) + 1;
  }
  return count;
}
`,
  },
};

const steps: SlowProgram = {
  name: 'steps',
  files: {
    'steps.js': `export function ways(n) {
  if (n < 0) return 0;
  if (n === 0) return 1;
  return ways(n - 1) + ways(n - 2) + ways(n - 3);
}
`,
  },
  tests: {
    'steps.test.js': `import { test, expect } from 'test';
import { ways } from './steps.js';
test('ways up the stairs', () => { expect([0, 1, 2, 3, 4, 5].map((n) => ways(n))).toEqual([1, 1, 2, 4, 7, 13]); expect(ways(-1)).toBe(0); });
`,
  },
  benchmark: "import { ways } from './steps.js';\nways(10);",
  faster: {
    'steps.js': `export function ways(n) {
  if (n < 0) return 0;
  let a = 0;
  let b = 0;
  let c = 1;
  for (let i = 0; i < n; i++) {
    const next = a + b + c;
    a = b;
    b = c;
    c = next;
  }
  return c;
}
`,
  },
};

export const slowPrograms: readonly SlowProgram[] = [primes, pairs, steps];
