import { describe, expect, it } from 'vitest';
import { talkOf } from './together.ts';

describe('talk', () => {
  it('is one line that nobody can mistake for another’s, and not endless', () => {
    expect(talkOf('  hello\n\nsecond:\tI give up ')).toBe('hello second: I give up');
    expect(talkOf(' \n ')).toBe('');
    expect(talkOf('a'.repeat(5000))).toBe(`${'a'.repeat(2000)}…`);
    expect(talkOf(`${'a'.repeat(1999)}🙂🙂`).isWellFormed()).toBe(true);
  });
});
