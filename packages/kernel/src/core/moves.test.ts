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
  ])('reads the one move in %j', (text, move) => {
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
  ])('refuses %j and says why', (text, problem) => {
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
  ])('takes %j for %s', (text, move) => {
    expect(chosen(text)).toEqual({ ok: true, move });
  });

  it.each(['check', '[bet]', '[bet 2]', '[bet 1', '[check] [bet 1]', '[check, please]', '[]', '[a\u0308]'])(
    'never puts in a move for %j',
    (text) => {
      expect(chosen(text).ok).toBe(false);
    },
  );

  it('names what it refused, cut short', () => {
    const reading = chosen(`[${'x'.repeat(500)}]`);
    expect(!reading.ok && reading.problem).toBe(`[${'x'.repeat(60)}…] is not a legal move here.`);
  });

  it('takes a choice letter for letter before it folds case', () => {
    expect(choose({ text: '[B]' }, ['[b]', '[B]'])).toEqual({ ok: true, move: '[B]' });
    expect(choose({ text: 'say [B]' }, ['[b]', '[B]'])).toEqual({ ok: true, move: '[b]' });
    expect(choose({ text: 'pass' }, ['pass'])).toEqual({ ok: true, move: 'pass' });
  });
});

describe('[C9] again', () => {
  const ask = { seat: 'ann', choices };

  it('asks the same again, counts the miss, and penalises it in its own channel', () => {
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

  it('gives up once the tries are used up, and then the world records a forfeit', () => {
    expect(askAgain({ misses: 2 }, ask, 'No.', 2)).toBeNull();
    expect(askAgain({ misses: 0 }, ask, 'No.', 0)).toBeNull();
    expect(forfeitText('ann')).toMatch(/^ann forfeits/);
  });
});
