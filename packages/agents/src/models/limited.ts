/**
 * @file Limits concurrent calls, calls per minute, and tokens per minute. One limit may apply to many models and serves all episodes: first
 * come, first served; a canceled call leaves the queue. For a server that caches few prompts, calls with similar beginnings are sent one
 * after the other instead.
 */

import { type Model, modelFacts, type Prompt, type Sampling } from '@ludus-agents/kernel/internal/core/index';
import { readingOf, type Slot, Slots } from './slots.ts';
import { promptTokens } from './tokens.ts';

export interface Pace {
  /** The most concurrent calls. */
  readonly concurrency?: number;
  readonly requestsPerMinute?: number;
  /** Prompt and completion together. A call counts with its maximum until its actual use is known. */
  readonly tokensPerMinute?: number;
}

const minute = 60_000;

interface Spent {
  readonly at: number;
  tokens: number;
}

interface Waiting {
  readonly tokens: number;
  readonly reading: string;
  passed: number;
  go(pass: Pass): void;
}

interface Pass {
  readonly spent: Spent;
  readonly slot: Slot | undefined;
}

interface Passing {
  readonly tokens: number;
  readonly signal: AbortSignal;
  /** The prompt as the server reads it. Shared prefixes decide the order if slots are few. */
  readonly reading?: string;
  /** The number of prompts the server caches; requested when two calls first overlap, because a single call needs no order. */
  readonly slots?: Model['slots'];
}

/** A rate limiter that remembers the last minute. */
export class ModelRateLimit {
  readonly #pace: Pace;
  readonly #queue: Waiting[] = [];
  #past: Spent[] = [];
  #running = 0;
  /** Calls that have arrived and not ended. */
  #here = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #slots: Slots | undefined;
  #learned: Promise<void> | undefined;
  /** An answer has just arrived, and the caller's next request may continue it. */
  #isPausing = false;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Determines once how many prompts the server caches, and from then on limits concurrency to it. An unknown number changes nothing. */
  #learnSlots(find: () => Promise<number | undefined>): Promise<void> {
    this.#learned ??= find().then(
      (count) => {
        if (count !== undefined && count <= (this.#pace.concurrency ?? Infinity)) this.#slots = new Slots(count);
      },
      () => undefined,
    );
    return this.#learned;
  }

  /** Waits for its turn and runs; the result contains the number of tokens used, if known. */
  async pass<T>(passing: Passing, run: () => Promise<{ readonly result: T; readonly used: number }>): Promise<T> {
    passing.signal.throwIfAborted();
    this.#here++;
    try {
      if (passing.slots !== undefined && this.#here > 1) await this.#learnSlots(passing.slots);
      return await this.#run(passing, run);
    } finally {
      this.#here--;
    }
  }

  async #run<T>(passing: Passing, run: () => Promise<{ readonly result: T; readonly used: number }>): Promise<T> {
    const { spent, slot } = await this.#turn(passing);
    try {
      const { result, used } = await run();
      spent.tokens = used;
      return result;
    } finally {
      this.#running--;
      if (slot !== undefined) this.#slots?.free(slot);
      if (this.#slots === undefined) this.#serve();
      else this.#serveSoon();
    }
  }

  #turn({ tokens, signal, reading = '' }: Passing): Promise<Pass> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        tokens,
        reading,
        passed: 0,
        go: (pass) => {
          signal.removeEventListener('abort', leave);
          resolve(pass);
        },
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
        this.#serve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(waiting);
      if (!this.#isPausing) this.#serve();
    });
  }

  /** Serves after one pass of the event loop: by then the episode that was just answered may have sent its next call. */
  #serveSoon(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#isPausing = false;
        this.#serve();
      }),
    );
  }

  /** Starts as many calls as allowed, in order: small calls do not overtake a large one at the head. */
  #serve(): void {
    clearTimeout(this.#timer);
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      const wait = this.#wait(head.tokens);
      if (wait > 0) {
        // Every call that ends wakes the queue; a timer is needed only to wait for a minute to pass.
        if (wait < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#serve(), wait);
        return;
      }
      const choice = this.#slots?.next(this.#queue);
      if (choice === null) return;
      const [next] = this.#queue.splice(choice?.index ?? 0, 1);
      const { tokens, reading, go } = next as Waiting;
      if (choice !== undefined) this.#slots?.take(choice.slot, reading);
      this.#running++;
      const spent: Spent = { at: performance.now(), tokens };
      if (this.#pace.requestsPerMinute !== undefined || this.#pace.tokensPerMinute !== undefined) this.#past.push(spent);
      go({ spent, slot: choice?.slot });
    }
  }

  /** Milliseconds until a call with this many tokens may start: 0 means now, infinity means when another one ends. */
  #wait(tokens: number): number {
    const { concurrency = Infinity, requestsPerMinute = Infinity, tokensPerMinute = Infinity } = this.#pace;
    if (this.#running >= concurrency) return Infinity;
    const now = performance.now();
    this.#past = this.#past.filter(({ at }) => at > now - minute);
    let requests = this.#past.length + 1;
    let sum = tokens + this.#past.reduce((total, item) => total + item.tokens, 0);
    for (const item of this.#past) {
      if (requests <= requestsPerMinute && sum <= tokensPerMinute) return 0;
      requests--;
      sum -= item.tokens;
      if (requests <= requestsPerMinute && sum <= tokensPerMinute) return Math.ceil(item.at + minute - now) + 1;
    }
    // A call that is alone in its minute may start, however large; otherwise it would wait forever.
    const last = this.#past.at(-1);
    return last === undefined ? 0 : Math.ceil(last.at + minute - now) + 1;
  }
}

export function limited(model: Model, limit: ModelRateLimit): Model {
  const { score, slots } = model;
  const passing = (prompt: Prompt, sampling: Sampling, signal: AbortSignal): Passing => ({
    ...{ tokens: mayUse(prompt, sampling), signal },
    ...(slots === undefined ? {} : { slots, reading: readingOf(prompt) }),
  });
  const scored: NonNullable<Model['score']> = (prompt, texts, signal) =>
    limit.pass(passing(prompt, {}, signal), async () => {
      const result = await (score as NonNullable<Model['score']>)(prompt, texts, signal);
      return { result, used: result.call.usage.promptTokens + result.call.usage.completionTokens };
    });
  return {
    ...modelFacts(model),
    ...(score === undefined ? {} : { score: scored }),
    complete: (prompt, sampling, signal, onText) =>
      limit.pass(passing(prompt, sampling, signal), async () => {
        const result = await model.complete(prompt, sampling, signal, onText);
        return { result, used: result.usage.promptTokens + result.usage.completionTokens };
      }),
  };
}

function mayUse(prompt: Prompt, { maxTokens = 256 }: Sampling): number {
  return promptTokens(prompt) + maxTokens;
}
