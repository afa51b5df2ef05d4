/** @file Tests a model in five short calls: whether it answers, how fast, its context size, and which constraints it obeys. */

import { charged, type Model, type ModelCall, type Prompt, type Sampling, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { choiceIn, choiceSchema, probe } from './enforcement.ts';
import { parseModelName } from './kinds.ts';
import type { EnvVars } from './local.ts';
import { kindPrice, priced, priceOf } from './priced.ts';
import { prices } from './prices.ts';

export interface ModelTest {
  readonly name: string;
  readonly ready: boolean;
  /** Its answer, or why there was none. */
  readonly about: string;
  /** Milliseconds for an answer of one word. */
  readonly latency: number | null;
  /** For a longer answer, including the reading of the prompt. */
  readonly tokensPerSecond: number | null;
  readonly context: number | null;
  /** Whether answers can be constrained to given choices, and to a schema; null if untested. */
  readonly choices: boolean | null;
  readonly schema: boolean | null;
  /** Whether it returns log-probabilities of its output, and of given answers. */
  readonly logprobs: boolean | null;
  readonly scores: boolean;
}

const prompt = (content: string): Prompt => ({ messages: [{ role: 'user', content }] });
const words: readonly string[] = probe.words;

export interface TestOptions {
  readonly env?: EnvVars;
  readonly signal?: AbortSignal;
  readonly seconds?: number;
  /** A clock in milliseconds. */
  readonly now?: () => number;
}

export async function testModel(name: string, options: TestOptions = {}): Promise<ModelTest> {
  const { env = process.env, signal = new AbortController().signal, seconds = 300, now = () => performance.now() } = options;
  const nothing = { latency: null, tokensPerSecond: null, context: null, choices: null, schema: null, logprobs: null, scores: false };
  try {
    const { kind, rest } = parseModelName(name);
    const price = priceOf(name, prices) ?? kindPrice(kind);
    const model: Model = charged(priced(await kind.make(rest, { env, seconds }), price));
    const ask = (content: string, sampling: Sampling) => model.complete(prompt(content), sampling, signal);
    const began = now();
    const first = await ask('Answer with the one word: yes', { maxTokens: model.thinks === true ? 512 : 16 });
    const latency = Math.round(now() - began);
    const from = now();
    const long = await ask('Count from one to thirty in words.', { maxTokens: 64 });
    const took = now() - from;
    return {
      name,
      ready: true,
      about: `answered "${first.text.replace(/\s+/g, ' ').trim().slice(0, 40)}"`,
      latency,
      tokensPerSecond: took > 0 ? Math.round((10_000 * long.usage.completionTokens) / took) / 10 : null,
      context: (await model.context?.()) ?? null,
      choices: await tryCall(ask(probe.question, { maxTokens: 24, choices: words }), ({ text }) => words.includes(text)),
      schema: await tryCall(ask(probe.question, { maxTokens: 32, schema: choiceSchema(words) }), ({ text }) =>
        words.includes(choiceIn(text, 'schema', words)),
      ),
      logprobs: await tryCall(
        ask('Answer with the one word: yes', { maxTokens: 4, tokens: true }),
        ({ logprobs }) => logprobs !== undefined,
      ),
      scores: model.score !== undefined,
    };
  } catch (thrown) {
    return { name, ready: false, about: sentenceOf(thrown), ...nothing };
  }
}

/** The result of a call; a rejected call shows that the feature is not available. */
async function tryCall(call: Promise<ModelCall>, shows: (call: ModelCall) => boolean): Promise<boolean> {
  return call.then(shows, () => false);
}
