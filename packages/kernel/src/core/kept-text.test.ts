import { expect, test } from 'vitest';
import { keepByText } from './leaks.ts';

/** A function of texts that is kept for 10 characters and 4 texts at a time, and the texts for which it was called. */
function counted<T>(make: (text: string) => T) {
  const results: string[] = [];
  const kept = keepByText(
    10,
    (text) => {
      results.push(text);
      return make(text);
    },
    4,
  );
  return { kept, made: results };
}

test('caches the result for a short text, even if it is null', () => {
  const { kept, made } = counted(() => null);
  expect([kept('yes'), kept('yes')]).toEqual([null, null]);
  expect(made).toEqual(['yes']);
});

test('does not cache the result for a long text', () => {
  const { kept, made } = counted((text) => text.length);
  expect([kept('a longer text'), kept('a longer text')]).toEqual([13, 13]);
  expect(made).toHaveLength(2);
});

test('keeps the results of recently used texts and evicts the others', () => {
  const { kept, made } = counted((text) => text.toUpperCase());
  for (let i = 0; i < 100; i++) expect([kept('thanks'), kept(`once ${i}`)]).toEqual(['THANKS', `ONCE ${i}`]);
  expect(made.filter((text) => text === 'thanks')).toHaveLength(1);
  expect(kept('once 0')).toBe('ONCE 0');
  expect(made.filter((text) => text === 'once 0')).toHaveLength(2);
});
