/**
 * @file Seeded sampling for many prompts at once. The dice are rolled outside the graph; each text is evaluated once.
 *
 * Texts are a tree of tokens. While the weights do not change, a token is read only once for all texts: its keys and values are cached, and
 * what follows attends to them. A thousand episodes in which the same twelve things can be seen cost twelve texts.
 */

import type { Rng } from '../../core/index.ts';
import { after, type TextNode } from './tree.ts';
import { endToken } from './vocabulary.ts';

export interface Saying {
  readonly prompt: TextNode;
  readonly dice: Rng;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /** The only answers that may be given, each with its end; null for any. */
  readonly allowed: readonly (readonly number[])[] | null;
  /** Whether the tokens so far end the answer. */
  readonly stops: ((tokens: readonly number[]) => boolean) | null;
}

export interface SampledReply {
  readonly tokens: number[];
  /** The model's own log-probability of each token, whatever temperature it was sampled at. */
  readonly logprobs: number[];
  finished: boolean;
}

/** Fills in `logprobs` of nodes that lack them. */
export type TokenReader = (nodes: readonly TextNode[]) => Promise<void>;

/** Answers to all prompts, token by token, all in step. */
export async function speak(sayings: readonly Saying[], read: TokenReader): Promise<readonly SampledReply[]> {
  const said = sayings.map((): SampledReply => ({ tokens: [], logprobs: [], finished: false }));
  const nodes = sayings.map(({ prompt }) => prompt);
  let live = sayings.map((_, i) => i);
  while (live.length > 0) {
    const unread = new Set<TextNode>();
    for (const i of live) if (nodes[i]!.logprobs === null) unread.add(nodes[i]!);
    if (unread.size > 0) await read([...unread]);
    live = live.filter((i) => {
      const [saying, node, answer] = [sayings[i]!, nodes[i]!, said[i]!];
      const token = draw(node, saying, answer.tokens);
      answer.tokens.push(token);
      answer.logprobs.push((node.logprobs as Float32Array)[token]!);
      answer.finished = token === endToken || (saying.stops?.(answer.tokens) ?? false);
      if (answer.finished || answer.tokens.length >= saying.maxTokens) return false;
      nodes[i] = after(node, token);
      return true;
    });
  }
  return said;
}

function draw(node: TextNode, { dice, temperature, topP, allowed }: Saying, said: readonly number[]): number {
  const logprobs = node.logprobs as Float32Array;
  if (allowed === null && temperature === 1 && topP >= 1) return plainDraw(node, dice.next());
  const open =
    allowed === null ? null : new Set(allowed.filter((one) => said.every((token, i) => one[i] === token)).map((one) => one[said.length]!));
  const ranked = Array.from(logprobs, (logprob, token) => ({ logprob, token }))
    .filter(({ token }) => open === null || open.has(token))
    .sort((a, b) => b.logprob - a.logprob || a.token - b.token);
  const [best] = ranked as [{ logprob: number; token: number }];
  if (temperature === 0) return best.token;
  const weights = ranked.map(({ logprob }) => Math.exp((logprob - best.logprob) / temperature));
  return ranked[dice.weighted(nucleus(weights, topP))]!.token;
}

/** The likeliest tokens that together have a share of `topP`; the rest weigh nothing. */
function nucleus(weights: readonly number[], topP: number): readonly number[] {
  const enough = topP * weights.reduce((sum, one) => sum + one, 0);
  let sum = 0;
  return weights.map((weight) => {
    const kept = sum < enough ? weight : 0;
    sum += weight;
    return kept;
  });
}

function plainDraw(node: TextNode, roll: number): number {
  const logprobs = node.logprobs as Float32Array;
  if (node.upTo === null) {
    node.upTo = new Float64Array(logprobs.length);
    let sum = 0;
    for (let i = 0; i < logprobs.length; i++) {
      sum += Math.exp(logprobs[i]!);
      node.upTo[i] = sum;
    }
  }
  const sought = roll * node.upTo[logprobs.length - 1]!;
  let [low, high] = [0, logprobs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (node.upTo[middle]! > sought) high = middle;
    else low = middle + 1;
  }
  return low;
}
