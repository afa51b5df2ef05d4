/**
 * @file Holds calls back so that no more run at once, begin in a minute, or use tokens in a minute than was said. One limit may stand before
 * many models and serves all episodes: first come, first served, and a call that is called off leaves the queue.
 */

import { described, type Model, type Prompt, type Sampling } from '../core/index.ts';
import { promptTokens } from './tokens.ts';

export interface Pace {
  /** Calls under way at once. */
  readonly concurrency?: number;
  readonly requestsPerMinute?: number;
  /** Prompt and completion together. A call counts as what it may use until it is known what it did use. */
  readonly tokensPerMinute?: number;
}

const minute = 60_000;

interface Spent {
  readonly at: number;
  tokens: number;
}

interface Waiting {
  readonly tokens: number;
  go(spent: Spent): void;
}

/** A gate with a memory of the last minute. */
export class ModelRateLimit {
  readonly #pace: Pace;
  readonly #queue: Waiting[] = [];
  #past: Spent[] = [];
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Waits for its turn and runs; the result says how many tokens it used, if that is known. */
  async pass<T>(tokens: number, signal: AbortSignal, run: () => Promise<{ readonly result: T; readonly used: number }>): Promise<T> {
    signal.throwIfAborted();
    const spent = await this.#turn(tokens, signal);
    try {
      const { result, used } = await run();
      spent.tokens = used;
      return result;
    } finally {
      this.#running--;
      this.#serve();
    }
  }

  #turn(tokens: number, signal: AbortSignal): Promise<Spent> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        tokens,
        go: (spent) => {
          signal.removeEventListener('abort', leave);
          resolve(spent);
        },
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
        this.#serve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(waiting);
      this.#serve();
    });
  }

  /** Lets as many go as may, in order: a large call at the head is not overtaken by small ones. */
  #serve(): void {
    clearTimeout(this.#timer);
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      const wait = this.#wait(head.tokens);
      if (wait > 0) {
        // Whoever leaves wakes the queue; only a minute that has to pass needs a clock.
        if (wait < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#serve(), wait);
        return;
      }
      this.#queue.shift();
      this.#running++;
      const spent: Spent = { at: performance.now(), tokens: head.tokens };
      if (this.#pace.requestsPerMinute !== undefined || this.#pace.tokensPerMinute !== undefined) this.#past.push(spent);
      head.go(spent);
    }
  }

  /** Milliseconds until a call of so many tokens may go: 0 is now, infinity is when another one ends. */
  #wait(tokens: number): number {
    const { concurrency = Infinity, requestsPerMinute = Infinity, tokensPerMinute = Infinity } = this.#pace;
    if (this.#running >= concurrency) return Infinity;
    const now = performance.now();
    this.#past = this.#past.filter(({ at }) => at > now - minute);
    let requests = this.#past.length + 1;
    let sum = tokens + this.#past.reduce((total, one) => total + one.tokens, 0);
    for (const one of this.#past) {
      if (requests <= requestsPerMinute && sum <= tokensPerMinute) return 0;
      requests--;
      sum -= one.tokens;
      if (requests <= requestsPerMinute && sum <= tokensPerMinute) return Math.ceil(one.at + minute - now) + 1;
    }
    // Alone in its minute a call may go, however large: it would wait for ever otherwise.
    const last = this.#past.at(-1);
    return last === undefined ? 0 : Math.ceil(last.at + minute - now) + 1;
  }
}

export function limited(model: Model, limit: ModelRateLimit): Model {
  const { score } = model;
  const scored: NonNullable<Model['score']> = (prompt, texts, signal) =>
    limit.pass(mayUse(prompt, {}), signal, async () => {
      const result = await (score as NonNullable<Model['score']>)(prompt, texts, signal);
      return { result, used: result.call.usage.promptTokens + result.call.usage.completionTokens };
    });
  return {
    ...described(model),
    ...(score === undefined ? {} : { score: scored }),
    complete: (prompt, sampling, signal, onText) =>
      limit.pass(mayUse(prompt, sampling), signal, async () => {
        const result = await model.complete(prompt, sampling, signal, onText);
        return { result, used: result.usage.promptTokens + result.usage.completionTokens };
      }),
  };
}

function mayUse(prompt: Prompt, { maxTokens = 256 }: Sampling): number {
  return promptTokens(prompt) + maxTokens;
}
