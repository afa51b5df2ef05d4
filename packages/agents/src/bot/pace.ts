/**
 * @file Limits the concurrent requests and the requests per minute to a bot. All episodes that use the bot wait in one queue; a canceled
 * request leaves it.
 */

export interface BotPaceOptions {
  readonly concurrency: number;
  readonly perMinute: number;
}

const minute = 60_000;

export class BotPace {
  readonly #options: BotPaceOptions;
  readonly #queue: (() => void)[] = [];
  #begun: number[] = [];
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: BotPaceOptions) {
    this.#options = options;
  }

  async pass<T>(signal: AbortSignal, use: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await use();
    } finally {
      this.#running--;
      this.#serve();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(go);
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#timer);
    const { concurrency, perMinute } = this.#options;
    while (this.#queue.length > 0 && this.#running < concurrency) {
      const now = performance.now();
      this.#begun = this.#begun.filter((at) => at > now - minute);
      const oldest = this.#begun[0];
      if (this.#begun.length >= perMinute && oldest !== undefined) {
        this.#timer = setTimeout(() => this.#serve(), Math.ceil(oldest + minute - now) + 1);
        return;
      }
      if (perMinute < 1e6) this.#begun.push(now);
      this.#running++;
      this.#queue.shift()?.();
    }
  }
}

const paces = new Map<string, BotPace>();

/** The one queue for all requests to the bot with this key. */
export function paceOf(key: string, options: BotPaceOptions): BotPace {
  const botPace = paces.get(key);
  if (botPace !== undefined) return botPace;
  // Names may come from outside, so the map must not grow without limit.
  if (paces.size >= 256) paces.clear();
  const newBotPace = new BotPace({ concurrency: options.concurrency, perMinute: options.perMinute });
  paces.set(key, newBotPace);
  return newBotPace;
}
