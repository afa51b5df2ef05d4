/** @file Wrapped callbacks never throw, and the same warning is not printed a thousand times. */

import { describe, expect, it } from 'vitest';
import { report, safely } from './safely.ts';

describe('safely', () => {
  it('passes arguments on and has no effect if nothing fails', () => {
    const messages: unknown[] = [];
    safely('A test', (a: number, b: string) => messages.push(a, b))(1, 'x');
    expect(messages).toEqual([1, 'x']);
  });

  it('catches synchronous and asynchronous errors and reports them to the handler', async () => {
    const observations: unknown[] = [];
    const failed = (thrown: unknown, input: number) => observations.push((thrown as Error).message, input);
    safely(
      'A test',
      (_: number) => {
        throw new Error('now');
      },
      failed,
    )(1);
    safely(
      'A test',
      async (_: number) => {
        throw new Error('later');
      },
      failed,
    )(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(observations).toEqual(['now', 1, 'later', 2]);
  });

  it('survives a failing handler and thrown values that are not errors', () => {
    const again = () => {
      throw new Error('again');
    };
    for (const thrown of [null, undefined, 5, { toString: again }, Object.create(null)])
      expect(() =>
        safely(
          'A test',
          () => {
            throw thrown;
          },
          again,
        )(),
      ).not.toThrow();
  });

  it('warns the 1st, 10th, and 100th time', () => {
    const observations: string[] = [];
    for (let i = 0; i < 150; i++) report('Something of this test', new Error('x'), (sentence) => observations.push(sentence));
    expect(observations).toEqual([
      'Something of this test failed: x',
      'Something of this test failed: x (10 times)',
      'Something of this test failed: x (100 times)',
    ]);
  });
});
