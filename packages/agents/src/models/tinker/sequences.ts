/** @file Sampling requests to a Tinker server, and its answers. */

import { Fault, type JsonObject, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import type { Codec } from '../codec.ts';

export interface SampledSequence {
  readonly stop_reason: 'stop' | 'length';
  readonly tokens: readonly number[];
  readonly logprobs?: number[] | null;
}

/** The requested answers. A malformed reply is the server's fault, not a move. */
export function sequencesIn(
  id: string,
  match: unknown,
  { count, sampling }: { readonly count: number; readonly sampling: Sampling },
): readonly SampledSequence[] {
  const list = Array.isArray(match) ? (match as readonly unknown[]) : [];
  if (list.length < count || list.some((item) => item === undefined || item === null))
    throw new Fault(
      'model',
      `${id} was asked for ${count === 1 ? 'one answer but returned none' : `${count} answers but returned fewer`}. Try again.`,
    );
  return list.slice(0, count).map((item) => sequenceIn(id, item as Partial<SampledSequence>, sampling));
}

function sequenceIn(id: string, { stop_reason, tokens, logprobs }: Partial<SampledSequence>, { maxTokens }: Sampling): SampledSequence {
  const most = maxTokens ?? 2 ** 20;
  const isToken = (token: unknown) => Number.isSafeInteger(token) && (token as number) >= 0;
  if (!Array.isArray(tokens) || tokens.length > most || !tokens.every(isToken))
    throw new Fault('model', `${id} was asked for at most ${most} tokens, but its answer has another length or other tokens. Try again.`, {
      code: 'E_TOO_LARGE',
    });
  if (
    logprobs !== undefined &&
    logprobs !== null &&
    (!Array.isArray(logprobs) || !logprobs.every((logprob) => typeof logprob === 'number'))
  )
    throw new Fault('model', `${id} returned log-probabilities that are not numbers. Try again.`);
  return { stop_reason: stop_reason === 'length' ? 'length' : 'stop', tokens, ...(logprobs ? { logprobs } : {}) };
}

export function paramsOf({ maxTokens = 256, temperature = 1, topP = 1, stop = [], seed }: Sampling, codec: Codec): JsonObject {
  const ends = stop.length > 0 ? stop : codec.stop;
  return { max_tokens: maxTokens, temperature, top_p: topP, top_k: -1, stop: ends.length > 0 ? ends : null, seed: seed ?? null };
}

export function inputOf(tokens: ArrayLike<number>): JsonObject {
  return { chunks: [{ type: 'encoded_text', tokens: Array.from(tokens) }] };
}
