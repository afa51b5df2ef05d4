/** @file Retries operations that fail for a temporary reason, for a bounded time. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, isFault, type Store } from '@ludus-agents/kernel/internal/core/index';

export interface RequestRetryOptions {
  /** The maximum number of attempts. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; each wait doubles, up to 5 s. */
  readonly wait?: number;
  /** The wait function; tests replace it. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Called with each failure that is retried. */
  readonly failed?: (fault: Fault) => void;
}

/** The result of `work`, once it succeeds. A permanent fault is thrown at once, a temporary one after the last attempt. */
export async function retryTransient<T>(work: () => Promise<T>, options: RequestRetryOptions = {}): Promise<T> {
  const { attempts = 6, wait = 100, failed = () => {} } = options;
  // The timer does not keep the process running; a caller that awaits the result does.
  const pause = options.sleep ?? ((milliseconds) => sleep(milliseconds));
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (!isFault(thrown) || !thrown.transient || attempt >= attempts) throw thrown;
      failed(thrown);
      await pause(Math.min(wait * 2 ** (attempt - 1), 5000));
    }
  }
}

/**
 * Appends to one episode with retries. Several may be in progress: if one is delayed, the following ones were rejected because of the
 * gap, and are sent again after it.
 */
export function retryingAppends(store: Pick<Store, 'append'>, options: RequestRetryOptions = {}): Pick<Store, 'append'> {
  /** Whether the last append was delayed. */
  let last = Promise.resolve(false);
  return {
    append(...of) {
      const before = last;
      const write = () => store.append(...of);
      const message = write().then(
        () => false,
        async (thrown: unknown) => {
          const isLate = await before;
          if (!isLate && !(isFault(thrown) && thrown.transient)) throw thrown;
          if (isFault(thrown)) options.failed?.(thrown);
          await retryTransient(write, options);
          return true;
        },
      );
      last = message;
      // The caller is told about a failure, and only later output must not be sent again.
      message.catch(() => {});
      return message.then(() => {});
    },
  };
}
