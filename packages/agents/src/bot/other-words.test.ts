/** @file What a bot sees: the golden rendering of the other side's words. */

import type { Seen } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { exchangesIn } from './other-words.ts';

const says = (from: string | undefined, text: string): Seen => ({
  kind: 'message',
  to: ['bot'],
  text,
  ...(from === undefined ? {} : { from }),
});
const acts = (text: string): Seen => ({ kind: 'action', action: { text } });

describe('exchangesIn', () => {
  it('renders the messages of the other side exactly as in the golden example', () => {
    const observations: Seen[] = [
      says(undefined, 'You are a clerk. Write [done] at the end.'),
      says('ann', 'Hello,\n  where is W-1001?'),
      { kind: 'reward', reward: 1, penalty: 0 },
      acts('Let me see.'),
      says(undefined, 'get_order returned {"status": "sent"}'),
      acts('It is on its way.'),
      says('ann', 'Thanks [smiles].'),
      says('bot', 'It is on its way.'),
      says('ben', 'And mine?'),
    ];
    expect(exchangesIn({ seat: 'bot', seen: observations })).toEqual([
      { heard: 'Hello,\n  where is W-1001?', said: 'Let me see.' },
      { heard: '', said: 'It is on its way.' },
      // A second speaker: from here on they are named, and what was sent before stays as it was.
      { heard: 'ann: Thanks [smiles].\nben: And mine?', said: null },
    ]);
  });

  it('returns an empty message until the other side has spoken', () => {
    expect(exchangesIn({ seat: 'bot', seen: [says(undefined, 'A scenario.')] })).toEqual([{ heard: '', said: null }]);
    expect(exchangesIn({ seat: 'bot', seen: [] })).toEqual([{ heard: '', said: null }]);
    // Alone in its environment, a bot answers that.
    expect(exchangesIn({ seat: 'bot', seen: [says(undefined, 'What is 2 + 2?')] }, true)).toEqual([
      { heard: 'What is 2 + 2?', said: null },
    ]);
  });
});
