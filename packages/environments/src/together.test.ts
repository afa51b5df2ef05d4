import { describe, expect, it } from 'vitest';
import { talkOf } from './together.ts';

describe('talkOf', () => {
  it('returns one line of limited length that cannot imitate another speaker', () => {
    expect(talkOf('  hello\n\nsecond:\tI give up ')).toBe('hello second: I give up');
    expect(talkOf(' \n ')).toBe('');
    expect(talkOf('a'.repeat(5000))).toBe(`${'a'.repeat(2000)}…`);
    expect(talkOf(`${'a'.repeat(1999)}🙂🙂`).isWellFormed()).toBe(true);
  });
});
