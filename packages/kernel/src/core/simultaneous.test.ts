import { describe, expect, it } from 'vitest';
import type { Ask } from './environment.ts';
import { choose } from './moves.ts';
import { gather, nothingHeld } from './simultaneous.ts';

const asks: readonly Ask[] = ['a', 'b', 'c'].map((seat) => ({ seat, choices: ['[x]', '[y]'] }));
const rules = { asks, read: (action: { text: string }, ask: Ask) => choose(action, ask.choices as readonly string[]), tries: 1 };
const says = (answers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(answers).map(([seat, text]) => [seat, { text }]));

describe('simultaneous answers', () => {
  it('are complete, or the legal ones are held until the others arrive', () => {
    expect(gather(nothingHeld, says({ a: '[x]', b: '[y]', c: '[x]' }), rules)).toEqual({
      done: true,
      moves: { a: '[x]', b: '[y]', c: '[x]' },
    });
    const gathered = gather(nothingHeld, says({ a: 'x', b: '[y]', c: '[x] [y]' }), rules);
    if (gathered.done) throw new Error('two seats have not answered');
    expect(gathered.holding).toEqual({ held: { b: '[y]' }, misses: { a: 1, c: 1 } });
    expect(gathered.asks.map((ask) => ask.seat)).toEqual(['a', 'c']);
    expect(gathered.penalties).toEqual({ a: 1, c: 1 });
    expect(gathered.messages.map((message) => message.to)).toEqual([['a'], ['c']]);
    const rest = gather(gathered.holding, says({ a: '[x]', c: 'no' }), rules);
    expect(rest).toEqual({ done: true, moves: { a: '[x]', b: '[y]', c: null } });
    expect(Object.keys(rest.done ? rest.moves : {})).toEqual(['a', 'b', 'c']);
  });

  it('wait for one seat even if another has forfeited', () => {
    const tries = { ...rules, tries: 0 };
    expect(gather(nothingHeld, says({ a: '', b: '', c: '' }), tries)).toEqual({ done: true, moves: { a: null, b: null, c: null } });
    const once = gather({ held: { c: '[x]' }, misses: { a: 1 } }, says({ a: '', b: '' }), rules);
    if (once.done) throw new Error('b has another try');
    expect(once.holding.held).toEqual({ a: null, c: '[x]' });
    expect(once.asks.map((ask) => ask.seat)).toEqual(['b']);
  });
});
