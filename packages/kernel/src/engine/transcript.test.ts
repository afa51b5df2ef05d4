import { describe, expect, it } from 'vitest';
import { callOf } from '../../../../test/random-environments.ts';
import type { EpisodeEvent } from '../core/index.ts';
import { transcript } from './transcript.ts';

const log: readonly EpisodeEvent[] = [
  {
    kind: 'start',
    environment: 'demo@1',
    task: { rounds: 1 },
    seed: 7,
    seats: ['ann', 'bob', 'cid'],
    cast: { ann: 'random', bob: 'me', cid: 'random' },
    fork: { at: 4, step: 1, seed: 9 },
  },
  { kind: 'message', to: ['ann', 'bob', 'cid'], text: 'Welcome.' },
  { kind: 'message', to: ['ann'], text: 'Your cards:\n\nK Q', data: { cards: [12, 11] } },
  { kind: 'message', to: [], text: 'a note' },
  {
    kind: 'turn',
    asks: [
      { seat: 'ann', choices: ['[x]', '[y]'] },
      { seat: 'bob' },
      { seat: 'cid', choices: Array.from({ length: 20 }, (_, i) => `[${i}]`) },
    ],
  },
  { kind: 'action', seat: 'ann', action: { text: '[x]' } },
  { kind: 'action', seat: 'bob', action: { text: 'hello\nthere' }, calls: [callOf(1, 1)], mind: { secret: true } },
  { kind: 'action', seat: 'cid', action: { text: '[3]', data: 'x'.repeat(500) } },
  { kind: 'message', to: ['ann', 'cid'], from: 'bob', text: 'hello' },
  { kind: 'message', to: ['ann', 'bob'], from: 'bob', text: 'psst' },
  { kind: 'reward', rewards: { ann: 0.1 + 0.2, bob: -1, cid: -0 }, penalties: { bob: 1 } },
  { kind: 'end', reason: 'over', returns: { ann: 0.3, bob: -1, cid: 0 }, penalties: { ann: 0, bob: 1, cid: 0 }, turns: 1 },
];

describe('[E22] a transcript', () => {
  it('shows messages, asks, answers, and rewards', () => {
    expect(transcript(log).split('\n')).toEqual([
      'demo@1, seed 7',
      'task {"rounds":1}',
      'cast ann = random, bob = me, cid = random',
      'forked before event 4, seed 9 from there on',
      '',
      '(to all) Welcome.',
      '(to ann)',
      '    Your cards:',
      '',
      '    K Q',
      '    {"cards":[12,11]}',
      '(note) a note',
      '',
      '1. ann is asked: [x] [y]; bob is asked; cid is asked: [0] [1] [2] [3] [4] … 15 more',
      'ann: [x]',
      'bob:',
      '    hello',
      '    there',
      '    (1 model call)',
      'cid: [3]',
      `    "${'x'.repeat(159)}…`,
      '(bob to all) hello',
      '(bob to ann, bob) psst',
      'paid: ann +0.3, bob −1, cid 0',
      'penalty: bob +1',
      '',
      'over after 1 turn',
      'returns: ann +0.3, bob −1, cid 0',
      'penalties: ann 0, bob +1, cid 0',
      '',
    ]);
  });

  it('names the limit, or the fault and its source', () => {
    const end = { kind: 'end', returns: {}, penalties: {}, turns: 2 } as const;
    expect(transcript([{ ...end, reason: 'limit', limit: 'turns' }])).toBe('\nlimit (turns) after 2 turns\n');
    const fault = { boundary: 'model', message: 'No answer.' } as const;
    expect(transcript([{ ...end, reason: 'error', fault }])).toBe('\nerror (model: No answer.) after 2 turns\n');
    expect(transcript([{ ...end, reason: 'error', fault: { ...fault, seat: 'ann' } }])).toBe('\nerror (ann: No answer.) after 2 turns\n');
    expect(transcript([{ ...end, reason: 'abort' }])).toBe('\nabort after 2 turns\n');
  });
});
