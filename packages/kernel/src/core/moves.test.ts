import { describe, expect, it } from 'vitest';
import { askAgain, choose, forfeitText, parseBracketed } from './moves.ts';

const read = (text: string) => parseBracketed({ text });
const choices = ['[check]', '[bet 1]', '[Ä]'] as const;
const chosen = (text: string) => choose({ text }, choices);

describe('[C8] bracketed', () => {
  it.each([
    ['[a]', 'a'],
    ['I say [a] now', 'a'],
    ['[ a\n  b\t]', 'a b'],
    ['[a  b]', 'a b'],
    ['[a b ]', 'a b'],
    ['[a\u00a0b\ufeff]', 'a b'],
    ['[]', ''],
    ['] [a] ]', 'a'],
    ['[a]]', 'a'],
    ['[{"x": 1}]', '{"x": 1}'],
  ])('reads the single move in %j', (text, move) => {
    expect(read(text)).toEqual({ ok: true, move });
  });

  it.each([
    ['', /no move/],
    ['a', /no move/],
    ['a]', /no move/],
    ['］［', /no move/],
    ['[a', /no closing bracket/],
    [']a[', /no closing bracket/],
    ['[a] [b]', /more than one/],
    ['[a][a]', /more than one/],
    ['[[a]]', /more than one/],
    ['[a] and then [', /more than one/],
  ])('rejects %j and explains why', (text, problem) => {
    const reading = read(text);
    expect(reading.ok).toBe(false);
    expect(!reading.ok && reading.problem).toMatch(problem);
  });
});

describe('[C8] choose', () => {
  it.each([
    ['[check]', '[check]'],
    ['I [Check].', '[check]'],
    ['[BET   1]', '[bet 1]'],
    ['[ ä ]', '[Ä]'],
  ])('reads %j as %s', (text, move) => {
    expect(chosen(text)).toEqual({ ok: true, move });
  });

  it.each(['check', '[bet]', '[bet 2]', '[bet 1', '[check] [bet 1]', '[check, please]', '[]', '[a\u0308]'])(
    'never substitutes a move for %j',
    (text) => {
      expect(chosen(text).ok).toBe(false);
    },
  );

  it('quotes a truncated illegal move in its problem', () => {
    const reading = chosen(`[${'x'.repeat(500)}]`);
    expect(!reading.ok && reading.problem).toBe(`[${'x'.repeat(60)}…] is not a legal move here.`);
  });

  it('prefers an exact match over a case-insensitive one', () => {
    expect(choose({ text: '[B]' }, ['[b]', '[B]'])).toEqual({ ok: true, move: '[B]' });
    expect(choose({ text: 'say [B]' }, ['[b]', '[B]'])).toEqual({ ok: true, move: '[b]' });
    expect(choose({ text: 'pass' }, ['pass'])).toEqual({ ok: true, move: 'pass' });
  });
});

describe('[C9] askAgain', () => {
  const ask = { seat: 'ann', choices };

  it('repeats the ask, counts the miss, and gives a penalty in a separate channel', () => {
    const state = { board: 'x', misses: 0 };
    expect(askAgain(state, ask, 'No.', 2)).toEqual({
      state: { board: 'x', misses: 1 },
      messages: [{ to: ['ann'], text: 'No. 2 tries are left.' }],
      asks: [ask],
      penalties: { ann: 1 },
    });
    expect(state.misses).toBe(0);
    expect(askAgain({ misses: 1 }, ask, 'No.', 2)?.messages[0]?.text).toBe('No. One try is left.');
  });

  it('returns null once the retries are used up, so that a forfeit is recorded', () => {
    expect(askAgain({ misses: 2 }, ask, 'No.', 2)).toBeNull();
    expect(askAgain({ misses: 0 }, ask, 'No.', 0)).toBeNull();
    expect(forfeitText('ann')).toMatch(/^ann forfeits/);
  });
});
