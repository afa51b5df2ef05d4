/**
 * @file Seeded sampling for many prompts at once. Random numbers are drawn outside the graph; each text is evaluated once.
 *
 * Texts are a tree of tokens. While the weights do not change, a token is read only once for all texts: its keys and values are cached, and
 * what follows attends to them. A thousand episodes in which the same twelve things can be seen cost twelve texts.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { after, type TextNode } from './tree.ts';
import { endToken } from './vocabulary.ts';

export interface Saying {
  readonly prompt: TextNode;
  readonly dice: Rng;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /** The only allowed answers, each with its end token; null for any. */
  readonly allowed: readonly (readonly number[])[] | null;
  /** Listed answers: read together with the prompt if there are as many requests as answers. */
  readonly listed: ListedAnswers | null;
  /** Whether the tokens so far end the answer. */
  readonly stops: ((tokens: readonly number[]) => boolean) | null;
}

/** The number of listed answers, and their tokens, each with its end token: only created when they are read. */
export interface ListedAnswers {
  readonly count: number;
  readonly tokens: () => readonly (readonly number[])[];
}

/** An answer, by its last token. */
export interface SampledReply {
  readonly end: TextNode;
  readonly finished: boolean;
}

/** Computes `logprobs` of nodes that lack them. */
export type TokenReader = (nodes: readonly TextNode[]) => Promise<void>;

/** Samples answers to all prompts, token by token, in step. */
export async function speak(sayings: readonly Saying[], read: TokenReader): Promise<readonly SampledReply[]> {
  const sampledReplies: SampledReply[] = new Array(sayings.length);
  const nodes = sayings.map(({ prompt }) => prompt);
  let live = sayings.map((_, i) => i);
  for (let length = 1; live.length > 0; length++) {
    const unread = new Map<TextNode, number>();
    for (const i of live) {
      const node = nodes[i];
      if (node.logprobs !== null) continue;
      const askers = (unread.get(node) ?? 0) + 1;
      unread.set(node, askers);
      if (length === 1) readListed(sayings[i], askers, unread);
    }
    if (unread.size > 0) await read([...unread.keys()]);
    live = live.filter((i) => {
      const [saying, node] = [sayings[i], nodes[i]];
      const end = after(node, draw(node, saying));
      const finished = end.token === endToken || (saying.stops?.(tokensBetween(saying.prompt, end)) ?? false);
      nodes[i] = end;
      if (!finished && length < saying.maxTokens) return true;
      sampledReplies[i] = { end, finished };
      return false;
    });
  }
  return sampledReplies;
}

/** The tokens written after a prompt, up to a node below it. */
export function tokensBetween(prompt: TextNode, end: TextNode): readonly number[] {
  const tokens: number[] = [];
  for (let node = end; node !== prompt; node = node.parent as TextNode) tokens.push(node.token);
  return tokens.reverse();
}

/** The model's own log-probability of each of these tokens, whatever temperature they were sampled at. */
export function logprobsBetween(prompt: TextNode, end: TextNode): readonly number[] {
  const logprobs: number[] = [];
  for (let node = end; node !== prompt; node = node.parent as TextNode) logprobs.push(node.parent!.logprobs![node.token]);
  return logprobs.reverse();
}

/**
 * If a prompt has as many requests as listed answers, most of these will be sampled: they are read with it in one run, instead of one run
 * per token.
 */
function readListed({ prompt, listed }: Saying, askers: number, unread: Map<TextNode, number>): void {
  if (listed === null || askers < 2 || askers !== listed.count) return;
  // The prediction after an answer's last token is never needed.
  for (const answer of listed.tokens())
    answer.slice(0, -1).reduce((node, token) => {
      const next = after(node, token);
      if (next.logprobs === null && !unread.has(next)) unread.set(next, 0);
      return next;
    }, prompt);
}

function draw(node: TextNode, { prompt, dice, temperature, topP, allowed }: Saying): number {
  const logprobs = node.logprobs as Float32Array;
  if (allowed === null && temperature === 1 && topP >= 1) return plainDraw(node, dice.next());
  const statements = tokensBetween(prompt, node);
  const open =
    allowed === null
      ? null
      : new Set(allowed.filter((item) => statements.every((token, i) => item[i] === token)).map((item) => item[statements.length]));
  const ranked = Array.from(logprobs, (logprob, token) => ({ logprob, token }))
    .filter(({ token }) => open === null || open.has(token))
    .sort((a, b) => b.logprob - a.logprob || a.token - b.token);
  const [best] = ranked as [{ logprob: number; token: number }];
  if (temperature === 0) return best.token;
  const weights = ranked.map(({ logprob }) => Math.exp((logprob - best.logprob) / temperature));
  return ranked[dice.weighted(nucleus(weights, topP))].token;
}

/** The most likely tokens with a total share of `topP`; the rest get weight 0. */
function nucleus(weights: readonly number[], topP: number): readonly number[] {
  const enough = topP * weights.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  return weights.map((weight) => {
    const retainedCount = sum < enough ? weight : 0;
    sum += weight;
    return retainedCount;
  });
}

function plainDraw(node: TextNode, roll: number): number {
  const logprobs = node.logprobs as Float32Array;
  if (node.upTo === null) {
    node.upTo = new Float64Array(logprobs.length);
    let sum = 0;
    for (let i = 0; i < logprobs.length; i++) {
      sum += Math.exp(logprobs[i]);
      node.upTo[i] = sum;
    }
  }
  const sought = roll * node.upTo[logprobs.length - 1];
  let [low, high] = [0, logprobs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (node.upTo[middle] > sought) high = middle;
    else low = middle + 1;
  }
  return low;
}
