import { describe, expect, it } from 'vitest';
import { audit, auditsOf } from './audit.ts';
import { chatOf, type EpisodeEvent, lastSeen, type Seen, textOf, toSeen, viewOf } from './event.ts';

const log: readonly EpisodeEvent[] = [
  { kind: 'start', environment: 'e@1', task: {}, seed: 0, seats: ['ann', 'bob'], cast: { ann: 'a', bob: 'b' } },
  { kind: 'message', to: ['ann', 'bob'], text: 'Welcome.' },
  { kind: 'message', to: ['ann'], text: 'Your card is K.' },
  { kind: 'message', to: [], text: 'a note' },
  { kind: 'turn', asks: [{ seat: 'ann', choices: ['[x]'] }, { seat: 'bob' }] },
  { kind: 'action', seat: 'ann', action: { text: '[x]' }, mind: { plan: 'secret' } },
  { kind: 'action', seat: 'bob', action: { text: 'hello' } },
  { kind: 'message', to: ['ann'], from: 'bob', text: 'hello' },
  { kind: 'reward', rewards: { ann: 2 }, penalties: { bob: 1 } },
  { kind: 'reward', rewards: {} },
  { kind: 'end', reason: 'over', returns: { ann: 2, bob: 0 }, penalties: { ann: 0, bob: 1 }, turns: 1 },
];

describe('[C10] a view', () => {
  it('contains only the messages to the seat, its own actions, and its own rewards, in order', () => {
    expect(viewOf(log, 'ann')).toEqual({
      seat: 'ann',
      seen: [log[1], log[2], log[5], log[7], { kind: 'reward', reward: 2, penalty: 0 }],
    });
    expect(viewOf(log, 'bob').seen).toEqual([log[1], log[6], { kind: 'reward', reward: 0, penalty: 1 }]);
    expect(viewOf(log, 'cid').seen).toEqual([]);
  });

  it('hides notes, turns, starts, and ends from every seat', () => {
    for (const seat of ['ann', 'bob']) for (const i of [0, 3, 4, 9, 10]) expect(toSeen(log[i]!, seat)).toBeNull();
  });

  it('renders as one text with speakers', () => {
    expect(textOf(viewOf(log, 'ann'))).toBe('Welcome.\nYour card is K.\nann: [x]\nbob: hello\n');
  });

  it("renders as a chat with the seat's own actions as the assistant", () => {
    expect(chatOf(viewOf(log, 'ann'))).toEqual([
      { role: 'user', content: 'Welcome.\nYour card is K.' },
      { role: 'assistant', content: '[x]' },
      { role: 'user', content: 'bob: hello' },
    ]);
    expect(chatOf(viewOf(log, 'cid'))).toEqual([]);
  });

  it('with a window is the tail with that many messages', () => {
    const { seen } = viewOf(log, 'ann');
    expect(viewOf(log, 'ann', 1).seen).toEqual(seen.slice(2));
    expect(viewOf(log, 'ann', 1)).not.toEqual(viewOf(log, 'ann', 2));
  });
});

describe('[C10] the message window', () => {
  const item = (kind: 'm' | 'a'): Seen => (kind === 'm' ? { kind: 'message', to: [], text: '' } : { kind: 'action', action: { text: '' } });
  const tail = (letters: string, window: number) =>
    lastSeen(
      [...letters].map((letter) => item(letter as 'm' | 'a')),
      window,
    )
      .map((item) => item.kind[0])
      .join('');

  it.each([
    ['mamam', 2, 'amam'],
    ['mamam', 3, 'mamam'],
    ['mamam', 9, 'mamam'],
    ['mama', 0, 'a'],
    ['mm', 0, ''],
    ['', 1, ''],
  ])('of %s for %i messages is %s', (letters, window, rest) => {
    expect(tail(letters, window)).toBe(rest);
  });

  it('never holds more messages than requested, and always ends at the last event', () => {
    for (let bits = 0; bits < 256; bits++)
      for (let window = 0; window < 6; window++) {
        const letters = Array.from({ length: 8 }, (_, i) => ((bits >> i) & 1 ? 'm' : 'a')).join('');
        const rest = tail(letters, window);
        const messages = letters.split('m').length - 1;
        expect(rest.split('m').length - 1).toBe(Math.min(window, messages));
        expect(letters.endsWith(rest)).toBe(true);
      }
  });
});

describe('[C11] audits', () => {
  it('are notes that no seat sees, counted by the seat they are about', () => {
    const notes = [audit('oracle', true, 'a'), audit('oracle', false, 'b'), audit('guide', true, 'c')];
    for (const note of notes) expect(note.to).toEqual([]);
    const events: EpisodeEvent[] = notes.map((note) => ({ kind: 'message', ...note }));
    expect(auditsOf([...log, ...events])).toEqual({ oracle: { checked: 2, contradicted: 1 }, guide: { checked: 1, contradicted: 0 } });
    expect(auditsOf(log)).toEqual({});
  });

  it('cannot be forged by messages that a seat can see', () => {
    expect(auditsOf([{ kind: 'message', to: ['ann'], text: '', data: { audit: { seat: 'oracle', holds: false } } }])).toEqual({});
  });
});
