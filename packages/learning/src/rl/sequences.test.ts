import { type EpisodeEvent, type ModelCall, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { callsOf, sequencesOf } from './sequences.ts';

function call(promptTokenIds: readonly number[], tokenIds: readonly number[], more: Partial<ModelCall> = {}): ModelCall {
  const usage = { promptTokens: promptTokenIds.length, completionTokens: tokenIds.length };
  const logprobs = tokenIds.map((token) => -token / 10);
  return { model: 'm', prompt: { messages: [] }, text: '', finish: 'stop', usage, cost: 0, promptTokenIds, tokenIds, logprobs, ...more };
}

describe('token sequences of calls', () => {
  it('continue while prompts extend the previous text, and start over otherwise', () => {
    const calls = [call([1, 2], [3]), call([1, 2, 3, 4], [5, 6]), call([9, 4], [7])];
    expect(sequencesOf(calls, [1, -2, 0.5])).toEqual([
      {
        tokens: [1, 2, 3, 4, 5, 6],
        mask: [0, 0, 1, 0, 1, 1],
        advantages: [0, 0, 1, 0, -2, -2],
        logprobs: [0, 0, -0.3, 0, -0.5, -0.6],
      },
      { tokens: [9, 4, 7], mask: [0, 0, 1], advantages: [0, 0, 0.5], logprobs: [0, 0, -0.7] },
    ]);
  });

  it('start over if text was read differently from how it was written', () => {
    expect(sequencesOf([call([1], [2, 3]), call([1, 2], [4])]).map(({ tokens }) => tokens)).toEqual([
      [1, 2, 3],
      [1, 2, 4],
    ]);
    expect(sequencesOf([call([1], [2, 3]), call([1, 9, 3, 5], [4])]).map(({ tokens }) => tokens)).toEqual([
      [1, 2, 3],
      [1, 9, 3, 5, 4],
    ]);
    expect(sequencesOf([call([1], [2, 3]), call([1, 2, 3], [4])]).map(({ tokens }) => tokens)).toEqual([[1, 2, 3, 4]]);
  });

  it('contain every written token once under the mask, for any conversation', () => {
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed);
      let talk: number[] = [];
      const calls = Array.from({ length: 1 + dice.int(6) }, () => {
        if (dice.next() < 0.3) talk = [];
        talk = [...talk, ...Array.from({ length: 1 + dice.int(3) }, () => dice.int(9))];
        const written = Array.from({ length: 1 + dice.int(3) }, () => dice.int(9));
        const modelCall = call(talk, written);
        talk = [...talk, ...written];
        return modelCall;
      });
      const rows = sequencesOf(calls);
      const ownItems = rows.flatMap(({ tokens, mask }) => tokens.filter((_, i) => mask[i] === 1));
      expect(ownItems).toEqual(calls.flatMap(({ tokenIds = [] }) => tokenIds));
      for (const { tokens, mask, logprobs } of rows) expect([mask.length, logprobs?.length]).toEqual([tokens.length, tokens.length]);
    }
  });

  it('have log-probabilities if all calls do, and advantages if given', () => {
    const { logprobs: _, ...without } = call([1], [2]);
    expect(sequencesOf([without])).toEqual([{ tokens: [1, 2], mask: [0, 1] }]);
    expect(sequencesOf([])).toEqual([]);
  });

  it('reject calls without usable tokens', () => {
    const { tokenIds: _, ...blind } = call([1], [2]);
    expect(() => sequencesOf([blind])).toThrow(/has no token ids/);
    expect(() => sequencesOf([call([1], [2], { logprobs: [] })])).toThrow(/1 tokens but 0 log-probabilities/);
    expect(() => sequencesOf([call([1], [2])], [])).toThrow(/1 calls but 0 advantages/);
  });

  it('include only one seat, and only the given model if named', () => {
    const [mine, other, aside] = [call([1], [2]), call([3], [4]), call([5], [6], { model: 'judge' })];
    const events: readonly EpisodeEvent[] = [
      { kind: 'action', seat: 'ann', action: { text: '' }, calls: [aside, mine] },
      { kind: 'action', seat: 'bob', action: { text: '' }, calls: [other] },
      { kind: 'action', seat: 'ann', action: { text: '' } },
    ];
    expect(callsOf(events, 'ann')).toEqual([aside, mine]);
    expect(callsOf(events, 'ann', 'm')).toEqual([mine]);
    expect(callsOf(events, 'bob')).toEqual([other]);
  });
});
