import { describe, expect, it } from 'vitest';
import { type Script, scripted, scriptedPolicy, type Turn } from './agent.ts';
import { nameOf } from './environment.ts';
import { boundaryOf, Fault, sentenceOf } from './fault.ts';
import { rng } from './rng.ts';

const turnOf = (seat: string): Turn => ({ view: { seat, seen: [] }, ask: { seat }, rng: rng(1) });
const never = new AbortController().signal;

describe('[C12] a script', () => {
  const short: Script = ({ ask }) => ({ text: ask.seat });
  const whole: Script = ({ ask }) => ({ action: { text: ask.seat }, mind: 1 });

  it('is an agent that returns an action or a whole reply', () => {
    expect(scripted('s', short).act(turnOf('ann'), never)).toEqual({ action: { text: 'ann' } });
    expect(scripted('s', whole).act(turnOf('ann'), never)).toEqual({ action: { text: 'ann' }, mind: 1 });
    expect(scripted('s', short).name).toBe('s');
  });

  it('is a policy that returns one reply per turn, in order', () => {
    const turns = ['ann', 'bob', 'cid'].map(turnOf);
    expect(scriptedPolicy('p', short).act(turns)).toEqual(turns.map(({ ask }) => ({ action: { text: ask.seat } })));
    expect(scriptedPolicy('p', whole).act([])).toEqual([]);
  });
});

describe('[C13] a fault', () => {
  it('names its boundary; any other error is a fault of the agent that threw it', () => {
    expect(boundaryOf(new Fault('model', 'x'))).toBe('model');
    expect(boundaryOf(new Error('x'))).toBe('agent');
    expect(boundaryOf('x')).toBe('agent');
    expect(new Fault('store', 'x', { cause: 1 })).toMatchObject({ name: 'Fault', boundary: 'store', cause: 1 });
  });

  it.each<[unknown, string]>([
    [new Error('two\n  lines '), 'two lines'],
    [new TypeError(''), 'TypeError'],
    ['a word', 'a word'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ toString: () => 'an object' }, 'an object'],
    [Object.create(null), 'An error without a message was thrown.'],
    [Object.assign(new Error(), { message: 5 }), '5'],
    [Symbol('s'), 'Symbol(s)'],
  ])('has a one-line message', (thrown, sentence) => {
    expect(sentenceOf(thrown)).toBe(sentence);
  });
});

describe('[C14] the name of an environment', () => {
  it('is its id without the version', () => {
    expect(nameOf({ id: 'kuhn-poker@12' })).toBe('kuhn-poker');
    expect(nameOf({ id: 'bare' })).toBe('bare');
  });
});
