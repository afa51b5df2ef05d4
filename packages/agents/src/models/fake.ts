/**
 * @file A fake model: fixed or computed answers, with the delays, failures, and prices of a real one, all seeded.
 *
 * The result of a call depends on the seed, the prompt, the sampling, and the number of earlier identical calls, but not on concurrent
 * calls: a run gives the same logs at any concurrency, and a retry draws new random numbers. Only a list of answers is used in the order of
 * the calls.
 */

import type { Model, ModelCall, Prompt, Rng, Sampling, Seed } from '@ludus-agents/kernel/internal/core/index';
import { charged, pause, rng } from '@ludus-agents/kernel/internal/core/index';
import { ModelFault } from './fault.ts';
import { promptTokens, tokensIn } from './tokens.ts';

export interface FakeModelOptions {
  readonly id?: string;
  /** Answers in order, starting over after the last; or a function of the prompt and this call's random numbers. */
  readonly answers: readonly string[] | ((prompt: Prompt, dice: Rng) => string);
  readonly seed?: Seed;
  /** Milliseconds a call takes: log-normal, so that a few calls are slow. `spread` 0 makes every call take the mean. */
  readonly latency?: { readonly mean: number; readonly spread?: number };
  readonly failures?: FakeFailures;
  /** Log-probabilities of given answers, for callers that request the probabilities of moves. */
  readonly scores?: (texts: readonly string[], prompt: Prompt) => readonly number[];
  /** Tokens of prompt and answer together, like the limit of a real model. */
  readonly context?: number;
  /** US dollars per million tokens; without a price, calls are free. */
  readonly price?: { readonly prompt: number; readonly completion: number };
}

/** The probability of each kind of failure, from 0 to 1. A truncated call does not throw: its text is cut and its finish is "length". */
export interface FakeFailures {
  readonly rateLimit?: number;
  readonly server?: number;
  readonly timeout?: number;
  readonly truncated?: number;
}

const unrolled = rng(0);
const certain = () => unrolled;

type Fate = 'fine' | keyof FakeFailures;
const fates: readonly Fate[] = ['fine', 'rateLimit', 'server', 'timeout', 'truncated'];

/** A scripted model that answers from a list or with a function. For tests and offline programs. */
export function fakeModel(options: FakeModelOptions): Model {
  const { id = 'fake', answers, seed = 0, latency, failures = {}, price } = options;
  const weights = fateWeights(failures);
  const callCounts = new Map<number, number>();
  let input = 0;

  /** Hashing a long prompt takes time, so random numbers are created only if they are used. */
  const chancy =
    weights[0] !== 1 || (latency !== undefined && latency.spread !== 0) || (typeof answers === 'function' && answers.length > 1);
  const throws = (prompt: Prompt, sampling: Sampling): ((what: string) => Rng) => {
    const address = addressOf(seed, prompt, sampling);
    const times = callCounts.get(address) ?? 0;
    callCounts.set(address, times + 1);
    return (what) => rng(seed, 'fake', address, times, what);
  };

  const { scores, context } = options;
  const score: NonNullable<Model['score']> = async (prompt, texts) => {
    const logprobs = scores?.(texts, prompt) ?? [];
    const text = texts[logprobs.indexOf(Math.max(...logprobs))] ?? '';
    const usage = { promptTokens: promptTokens(prompt), completionTokens: tokensIn(texts.join('')) };
    return { logprobs, call: { model: id, prompt, text, finish: 'stop', usage, cost: 0 } };
  };

  return charged({
    id,
    price: price ?? { prompt: 0, completion: 0 },
    ...(scores === undefined ? {} : { score }),
    ...(context === undefined ? {} : { context: async () => context }),
    async complete(prompt, sampling, signal, onText): Promise<ModelCall> {
      signal.throwIfAborted();
      const dice = chancy ? throws(prompt, sampling) : certain;
      const milliseconds = latency === undefined ? 0 : delay(latency, dice);
      if (milliseconds > 0) await pause(milliseconds, signal);
      const fate = weights[0] === 1 ? 'fine' : fates[dice('fate').weighted(weights)]!;
      if (fate !== 'fine' && fate !== 'truncated') throw failure(id, fate);
      const answer = typeof answers === 'function' ? answers(prompt, dice('answer')) : (answers[input++ % answers.length] ?? '');
      const { text, finish } = cut(answer, sampling, fate === 'truncated');
      onText?.(text);
      const usage = { promptTokens: promptTokens(prompt), completionTokens: tokensIn(text) };
      const cost = price === undefined ? 0 : (usage.promptTokens * price.prompt + usage.completionTokens * price.completion) / 1e6;
      return { model: id, prompt, text, finish, usage, cost, ...(latency === undefined ? {} : { milliseconds }) };
    },
  });
}

/**
 * Identical calls have the same hash. A collision of other calls is practically impossible, and would only make them share random numbers.
 */
function addressOf(seed: Seed, prompt: Prompt, sampling: Sampling): number {
  const dice = rng(seed, 'fake', JSON.stringify([prompt, sampling]));
  return dice.int(2 ** 21) * 2 ** 32 + dice.int(2 ** 32);
}

function cut(answer: string, sampling: Sampling, truncated: boolean): { text: string; finish: ModelCall['finish'] } {
  let text = answer;
  for (const stop of sampling.stop ?? []) {
    const at = stop === '' ? -1 : text.indexOf(stop);
    if (at >= 0) text = text.slice(0, at);
  }
  const most = sampling.maxTokens === undefined ? Number.POSITIVE_INFINITY : sampling.maxTokens * 4;
  if (truncated) return { text: text.slice(0, Math.min(most, Math.floor(text.length / 2))), finish: 'length' };
  return text.length > most ? { text: text.slice(0, most), finish: 'length' } : { text, finish: 'stop' };
}

function fateWeights(failures: FakeFailures): number[] {
  const rates = fates.slice(1).map((fate) => failures[fate as keyof FakeFailures] ?? 0);
  const sum = rates.reduce((total, rate) => total + rate, 0);
  if (rates.some((rate) => !(rate >= 0)) || sum > 1 + 1e-12)
    throw new RangeError(`Failure rates must be 0 or more and add up to at most 1, but add up to ${sum}.`);
  return [Math.max(0, 1 - sum), ...rates];
}

function failure(id: string, fate: Exclude<Fate, 'fine' | 'truncated'>): ModelFault {
  if (fate === 'rateLimit') return new ModelFault(`${id} answered 429: too many requests.`, { status: 429, retryAfter: 100 });
  if (fate === 'server') return new ModelFault(`${id} answered 500: internal error.`, { status: 500 });
  return new ModelFault(`${id} did not answer in time.`, { status: 408 });
}

/** Log-normal with the given mean: exp(μ + σz) with μ = ln(mean) − σ²/2. */
function delay({ mean, spread = 0.5 }: { readonly mean: number; readonly spread?: number }, throws: (what: string) => Rng): number {
  if (spread === 0) return mean;
  const dice = throws('latency');
  const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
  return mean * Math.exp(spread * normal - spread ** 2 / 2);
}
