/** @file Limits the requests of each caller: a bucket that fills evenly and is emptied by requests. */

export interface RateLimitOptions {
  readonly perSecond: number;
  /** How many may come at once after a quiet time. */
  readonly burst: number;
  /** Milliseconds; a test brings its own clock. */
  readonly now?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

/** Callers that are remembered. */
const most = 10_000;

export class RateLimit {
  readonly #options: Required<RateLimitOptions>;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ now = () => performance.now(), ...options }: RateLimitOptions) {
    this.#options = { ...options, now };
  }

  /** 0 where one more is allowed, else the seconds until it is. */
  take(key: string): number {
    const { perSecond, burst, now } = this.#options;
    const at = now();
    const bucket = this.#buckets.get(key);
    const left = bucket === undefined ? burst : Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond);
    // The map goes from the longest unseen to the latest seen; the longest unseen is full again, or nearly.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: left >= 1 ? left - 1 : left, at });
    if (this.#buckets.size > most) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return left >= 1 ? 0 : (1 - left) / perSecond;
  }
}
