/**
 * @file Retries calls that may succeed later: the waits double with seeded jitter, or are as long as the server asks for.
 *
 * A rejected request (4xx other than 408, 409, and 429) is not retried. Nor is a call after part of its answer was passed on, because that
 * cannot be taken back.
 */

import { type Model, modelFacts, pause, rng, type Seed, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { ModelFault } from './fault.ts';

export interface RetryOptions {
  /** The most calls in all, including the first. */
  readonly tries?: number;
  /** Milliseconds before the second try, on average half of it; doubles with every try. */
  readonly first?: number;
  /** The longest wait in milliseconds. If a server asks for more, the call fails. */
  readonly most?: number;
  readonly seed?: Seed;
}

export function retried(model: Model, options: RetryOptions = {}): Model {
  const { tries = 4, first = 1000, most = 60_000, seed = 0 } = options;
  let failures = 0;
  return {
    ...modelFacts(model),
    async complete(prompt, sampling, signal, onText) {
      let hasStarted = false;
      const ear = (piece: string) => {
        hasStarted = true;
        onText?.(piece);
      };
      for (let tried = 1; ; tried++) {
        try {
          return await model.complete(prompt, sampling, signal, onText === undefined ? undefined : ear);
        } catch (thrown) {
          if (signal.aborted || hasStarted || !passing(thrown)) throw thrown;
          if (tried >= tries) throw giveUpFault(thrown, `It was tried ${tried} times.`);
          const requestedRetryAfter = thrown.retryAfter ?? 0;
          if (requestedRetryAfter > most)
            throw giveUpFault(thrown, `It asks to wait ${Math.ceil(requestedRetryAfter / 1000)} s, which is longer than ${most / 1000} s.`);
          const jitter = rng(seed, 'retry', failures++).next() * Math.min(most, first * 2 ** (tried - 1));
          await pause(requestedRetryAfter + jitter, signal);
        }
      }
    },
  };
}

/** Whether a failure may be temporary. */
function passing(thrown: unknown): thrown is ModelFault {
  if (!(thrown instanceof ModelFault) || thrown.isLasting) return false;
  const { status } = thrown;
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500;
}

function giveUpFault(last: ModelFault, why: string): ModelFault {
  const { status, retryAfter } = last;
  return new ModelFault(`${sentenceOf(last)} ${why}`, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
