/** @file That answers which are listed are read with their prompt, where as many are to be given, and that views are found by what they show. */

import { rng, type View } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { logprobsBetween, type Saying, speak, tokensBetween } from './speech.ts';
import { after, rootNode, type TextNode } from './tree.ts';
import { ViewCache } from './view-cache.ts';
import { endToken } from './vocabulary.ts';

/** Answers are 1 or 2 and then 3; what follows is always the end. */
const answers = [
  [1, 3, endToken],
  [2, 3, endToken],
];

function ask(askers: number, listed: boolean): { sayings: Saying[]; read: (nodes: readonly TextNode[]) => Promise<void>; runs: number[] } {
  const prompt = after(rootNode(), 0);
  const runs: number[] = [];
  const sayings = Array.from({ length: askers }, (_, i): Saying => {
    const plain = { temperature: 1, topP: 1, maxTokens: 8, allowed: null, stops: null };
    return { ...plain, prompt, dice: rng(i), listed: listed ? { count: answers.length, tokens: () => answers } : null };
  });
  const read = async (nodes: readonly TextNode[]) => {
    runs.push(nodes.length);
    for (const node of nodes) {
      const likely = node === prompt ? [1, 2] : node.token === 3 ? [endToken] : [3];
      node.logprobs = Float32Array.from({ length: 300 }, (_, token) => (likely.includes(token) ? -Math.log(likely.length) : -Infinity));
    }
  };
  return { sayings, read, runs };
}

describe('listed answers', () => {
  it('are read together with a prompt that enough turns share, and else token by token', async () => {
    const [many, item, unlisted] = [ask(8, true), ask(1, true), ask(8, false)];
    const sampledReplies = await speak(many.sayings, many.read);
    const same = await speak(unlisted.sayings, unlisted.read);
    await speak(item.sayings, item.read);
    expect(many.runs).toEqual([5]);
    expect(unlisted.runs).toEqual([1, 2, 2]);
    expect(item.runs).toEqual([1, 1, 1]);
    const tokens = (all: typeof sampledReplies, { sayings }: typeof many) =>
      all.map(({ end }, i) => tokensBetween(sayings[i]!.prompt, end));
    expect(tokens(sampledReplies, many)).toEqual(tokens(same, unlisted));
    expect(new Set(tokens(sampledReplies, many).map(String))).toEqual(new Set(answers.map(String)));
    expect(logprobsBetween(many.sayings[0]!.prompt, sampledReplies[0]!.end)).toEqual([Math.fround(-Math.log(2)), -0, -0]);
  });
});

describe('view cache', () => {
  it('shares entries for equal views and distinguishes senders and recipients', () => {
    const cache = new ViewCache<number>();
    let madeCount = 0;
    const find = (observations: View['seen'], seat = 'a') => cache.get({ seat, seen: observations }, () => madeCount++);
    const message = { kind: 'message', to: ['a'], text: 'hello' } as const;
    const ownEntry = { kind: 'action', seat: 'a', action: { text: 'hello' } } as const;
    const views = [[], [message], [{ ...message, from: 'b' }], [ownEntry], [message, ownEntry], [ownEntry, message]];
    expect(views.map((view) => find(view))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(views.map((view) => find(structuredClone(view)))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(find([], 'b')).toBe(6);
  });
});
